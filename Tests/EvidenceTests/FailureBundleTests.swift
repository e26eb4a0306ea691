import Evidence
import Testing

@Suite struct FailureBundleTests {
  @Test(arguments: BundleCompression.allCases)
  func aBundleReadsBack(_ compression: BundleCompression) throws {
    let scratch = try Scratch()
    try scratch.write("box/home/a.txt", "hello\n")
    try scratch.write("out.log", "line\n")
    let path = "\(scratch.path)/b.\(compression.fileExtension)"
    let contents = BundleContents(
      manifest: .sample(),
      entries: [
        .init("container", .tree("\(scratch.path)/box")),
        .init("logs/stdout.log", .file("\(scratch.path)/out.log")),
        .init("repro.sh", .bytes(Array("#!/bin/sh\n".utf8), mode: 0o755)),
      ])
    try FailureBundle.write(contents, to: path, compression: compression)
    let reader = BundleReader(path: path)
    #expect(try reader.manifest() == contents.manifest)
    #expect(
      try reader.entries().map(\.path.displayName) == [
        "manifest.json", "logs/stdout.log", "repro.sh", "container", "container/home",
        "container/home/a.txt", "contents.json",
      ])
    #expect(try reader.read("container/home/a.txt") == Array("hello\n".utf8))
  }
}
