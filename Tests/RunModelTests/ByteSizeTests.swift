import RunModel
import Testing

@Suite struct ByteSizeTests {
  @Test(arguments: [
    ("512MiB", 512 << 20), ("2GiB", 2 << 30), ("1.5 GiB", 3 << 29), ("64KiB", 65536), ("7B", 7),
    ("1TiB", 1 << 40), ("0.5KiB", 512),
  ])
  func sizesAreRead(text: String, bytes: Int) { #expect(ByteSize.parse(text) == bytes) }

  @Test(arguments: [
    "", "MiB", "512", "512MB", "512M", "-1MiB", "0MiB", "1e3MiB", "0.3B", "1..2MiB", "१MiB",
    "99999999TiB", " 1MiB", "1  MiB", "nanB",
  ])
  func nothingElseIsASize(text: String) { #expect(ByteSize.parse(text) == nil) }

  @Test(arguments: [
    (512 << 20, "512 MiB"), (3 << 29, "1.5 GiB"), (1000, "1000 B"), (1023, "1023 B"),
    (1 << 40, "1 TiB"), (0, "0 B"), (8_470_528, "8272 KiB"),
  ])
  func sizesAreWritten(bytes: Int, text: String) {
    #expect(ByteSize.text(bytes) == text)
    if bytes > 0 { #expect(ByteSize.parse(text) == bytes) }
  }
}
