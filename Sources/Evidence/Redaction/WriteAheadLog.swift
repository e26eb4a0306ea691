/// The write-ahead log of an SQLite database: pages in frames, with checksums that go on from frame
/// to frame.
///
/// See "WAL-Index Format" and "The WAL Format" of SQLite's documentation of file formats.
struct WriteAheadLog {
  /// Bytes before the first frame.
  static let headerBytes = 32
  /// Bytes of a frame before its page.
  static let frameHeaderBytes = 24

  let pages: DatabasePages
  /// Whether checksums are made of big-endian words.
  private let isBigEndian: Bool
  /// Of what was read, and of what is written in its place.
  private var original: Checksum
  private var replaced: Checksum

  /// Bytes of a frame with its page.
  var frameBytes: Int { Self.frameHeaderBytes + pages.pageSize }

  /// - Parameter header: The first ``headerBytes`` bytes of a file, or more.
  /// - Returns: `nil` when the file is no such log.
  init?(header: some Collection<UInt8>) {
    let header = Array(header.prefix(Self.headerBytes))
    guard header.count == Self.headerBytes else { return nil }
    let magic = Self.number(header, 0)
    guard magic & ~1 == 0x377F_0682, let pages = DatabasePages(size: Int(Self.number(header, 8)))
    else { return nil }
    self.pages = pages
    isBigEndian = magic & 1 == 1
    original = Checksum(Self.number(header, 24), Self.number(header, 28))
    replaced = original
  }

  /// Takes the texts out of a frame, and gives it the checksum that it has then; one whose checksum
  /// is wrong already, as that of what an earlier use of the file has left, keeps it.
  ///
  /// - Parameters:
  ///   - frame: As many bytes as a frame has.
  ///   - replace: Replaces what has to be in a page of which it is told whether it is the first.
  mutating func redact(
    _ frame: [UInt8], _ replace: ([UInt8], Bool) throws -> [UInt8]
  ) rethrows -> [UInt8] {
    let page = Array(frame[Self.frameHeaderBytes...])
    let newPage = try replace(page, Self.number(frame, 0) == 1)
    var result = Array(frame[..<Self.frameHeaderBytes])
    let begin = Array(frame[..<8])
    var sum = original
    sum.add(begin, isBigEndian)
    sum.add(page, isBigEndian)
    if sum == Checksum(Self.number(frame, 16), Self.number(frame, 20)) {
      original = sum
      replaced.add(begin, isBigEndian)
      replaced.add(newPage, isBigEndian)
      result.replaceSubrange(16..<24, with: replaced.bytes)
    }
    return result + newPage
  }

  private static func number(_ bytes: [UInt8], _ offset: Int) -> UInt32 {
    bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// Two sums, each over words of 32 bits and the other one.
  struct Checksum: Hashable {
    private var first: UInt32
    private var second: UInt32

    init(_ first: UInt32, _ second: UInt32) {
      self.first = first
      self.second = second
    }

    /// - Parameter bytes: As many as are a multiple of 8.
    mutating func add(_ bytes: [UInt8], _ isBigEndian: Bool) {
      for offset in stride(from: 0, to: bytes.count - 7, by: 8) {
        let (one, two) = (word(bytes, offset, isBigEndian), word(bytes, offset + 4, isBigEndian))
        first = first &+ one &+ second
        second = second &+ two &+ first
      }
    }

    private func word(_ bytes: [UInt8], _ offset: Int, _ isBigEndian: Bool) -> UInt32 {
      let word = number(bytes, offset)
      return isBigEndian ? word : word.byteSwapped
    }

    /// As the file has them.
    var bytes: [UInt8] {
      [first, second].flatMap { sum in
        stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: sum >> UInt32($0)) }
      }
    }
  }
}
