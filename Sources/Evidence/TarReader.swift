import Glibc

/// Reads the entries of a tar archive one after the other with bounded memory.
///
/// It knows exactly where the archive ends and keeps every byte of a name: neither is to be had
/// from libarchive's own tar reader, which takes a missing end marker for the end, cuts names at
/// zero bytes and converts them by locale. Decompression is libarchive's.
final class TarReader {
  /// Headers that may describe one entry: extended, global, long name, long target.
  private static let maxExtraHeaders = 4

  private let stream: ArchiveStream
  private let path: String
  private let limits: BundleLimits
  /// Bytes of the current entry that were not read yet, padding not included.
  private var rest = 0
  private var padding = 0
  private var entries = 0
  private var totalBytes = 0
  private var scratch = [UInt8](repeating: 0, count: 1 << 16)

  init(path: String, limits: BundleLimits) throws {
    self.path = path
    self.limits = limits
    stream = try ArchiveStream(path: path)
  }

  /// The next entry; `nil` after the end marker, when nothing follows it.
  ///
  /// - Throws: ``EvidenceError`` with the code `cut-off`, `malformed`, `limit` or `unreadable`.
  func next() throws -> BundleEntry? {
    try skipData()
    var records: PaxRecords?
    var longName: [UInt8]?
    var longTarget: [UInt8]?
    for _ in 0...Self.maxExtraHeaders {
      guard let block = try headerBlock() else { return nil }
      guard let header = TarHeader(block) else {
        if stream.position == block.count {
          throw EvidenceError.notABundle(path, foreignForm(block) ?? "it is no tar archive")
        }
        throw malformed("there is no tar header at byte \(stream.position - block.count)")
      }
      switch header.type {
      case UInt8(ascii: "x"):
        guard let read = PaxRecords(try extraData(header)) else {
          throw malformed("the extended header before byte \(stream.position) is broken")
        }
        records = read
      case UInt8(ascii: "g"):
        _ = try extraData(header)
      case UInt8(ascii: "L"): longName = try extraData(header).prefixBeforeZero
      case UInt8(ascii: "K"): longTarget = try extraData(header).prefixBeforeZero
      default:
        return try entry(header, records, longName, longTarget)
      }
    }
    throw malformed("there are too many extended headers before byte \(stream.position)")
  }

  /// Reads bytes of the current entry.
  ///
  /// - Returns: The number of bytes, 0 at the entry's end.
  func readData(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    let wanted = min(rest, buffer.count)
    guard wanted > 0 else { return 0 }
    let count = try stream.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]))
    guard count == wanted else { throw cutOff() }
    rest -= count
    return count
  }

  /// Reads the rest of the current entry as a whole.
  func readData(maxBytes: Int) throws -> [UInt8] {
    guard rest <= maxBytes else {
      throw EvidenceError(
        .limit, "an entry of '\(displayPath)' has \(rest) bytes, more than \(maxBytes)",
        context: ["path": path])
    }
    var bytes = [UInt8](repeating: 0, count: rest)
    _ = try bytes.withUnsafeMutableBytes { try readData(into: $0) }
    return bytes
  }

  private var displayPath: String { ByteName(path).displayName }

  private func entry(
    _ header: TarHeader, _ records: PaxRecords?, _ longName: [UInt8]?, _ longTarget: [UInt8]?
  ) throws -> BundleEntry {
    var name = records?.path ?? longName ?? header.name
    let target = records?.linkTarget ?? longTarget ?? header.linkTarget
    let size = records?.size ?? header.size
    var kind: ArchiveEntryKind =
      switch header.type {
      case 0, UInt8(ascii: "0"), UInt8(ascii: "7"): .file
      case UInt8(ascii: "1"): .hardlink
      case UInt8(ascii: "2"): .symlink
      case UInt8(ascii: "3"): .characterDevice
      case UInt8(ascii: "4"): .blockDevice
      case UInt8(ascii: "5"): .folder
      case UInt8(ascii: "6"): .fifo
      default: .other
      }
    if records?.isSparse == true { kind = .other }
    if kind == .folder, name.count > 1, name.last == UInt8(ascii: "/") { name.removeLast() }
    let path = ByteName(bytes: name)
    try checkLimits(path, size: size, targetBytes: target.count)
    guard size == 0 || kind == .file || kind == .other else {
      throw malformed("'\(path.displayName)' is a \(kind.rawValue) that announces data")
    }
    rest = size
    padding = (TarHeader.blockSize - size % TarHeader.blockSize) % TarHeader.blockSize
    let isLink = kind == .symlink || kind == .hardlink
    return BundleEntry(
      path: path, kind: kind, mode: header.mode, size: size,
      linkTarget: isLink ? ByteName(bytes: target) : nil)
  }

  private func checkLimits(_ path: ByteName, size: Int, targetBytes: Int) throws {
    func limit(_ text: String) -> EvidenceError {
      EvidenceError(
        .limit, "'\(displayPath)' has \(text)",
        context: ["path": self.path, "entry": path.displayName])
    }
    entries += 1
    guard entries <= limits.entries else { throw limit("more than \(limits.entries) entries") }
    guard path.bytes.count <= limits.pathBytes, targetBytes <= limits.pathBytes else {
      throw limit("a path of more than \(limits.pathBytes) bytes")
    }
    let slashes = path.bytes.reduce(into: 0) { if $1 == UInt8(ascii: "/") { $0 += 1 } }
    guard slashes < limits.depth else {
      throw limit("a path of more than \(limits.depth) components")
    }
    guard size <= limits.totalBytes - totalBytes else {
      throw limit("files of more than \(limits.totalBytes) bytes together")
    }
    totalBytes += size
  }

  /// Reads the next header; `nil` when it is the end marker and nothing follows.
  private func headerBlock() throws -> [UInt8]? {
    let block = try readBlock()
    guard block.allSatisfy({ $0 == 0 }) else { return block }
    guard try readBlock().allSatisfy({ $0 == 0 }) else {
      throw malformed("the end marker at byte \(stream.position) is broken")
    }
    let more = try scratch.withUnsafeMutableBytes { buffer in
      try stream.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<1]))
    }
    guard try more == 0 && stream.trailingBytes() == 0 else {
      throw malformed("there are bytes after the end of the archive")
    }
    return nil
  }

  private func readBlock() throws -> [UInt8] {
    var block = [UInt8](repeating: 0, count: TarHeader.blockSize)
    let count = try block.withUnsafeMutableBytes { try stream.read(into: $0) }
    guard count == block.count else {
      if count > 0, stream.position == count, let form = foreignForm(block[..<count]) {
        throw EvidenceError.notABundle(path, form)
      }
      throw cutOff()
    }
    return block
  }

  /// The data of an entry that describes the next one.
  private func extraData(_ header: TarHeader) throws -> [UInt8] {
    let limit = 4 * limits.pathBytes + 65_536
    guard header.size <= limit else {
      throw EvidenceError(
        .limit, "'\(displayPath)' has an extended header of more than \(limit) bytes",
        context: ["path": path])
    }
    rest = header.size
    padding = (TarHeader.blockSize - header.size % TarHeader.blockSize) % TarHeader.blockSize
    let bytes = try readData(maxBytes: limit)
    try skipData()
    return bytes
  }

  /// Goes to the end of the current entry.
  private func skipData() throws {
    while rest > 0 {
      let wanted = min(rest, scratch.count)
      let count = try scratch.withUnsafeMutableBytes { buffer in
        try stream.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]))
      }
      guard count == wanted else { throw cutOff() }
      rest -= count
    }
    guard padding > 0 else { return }
    let wanted = padding
    padding = 0
    let count = try scratch.withUnsafeMutableBytes { buffer in
      try stream.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]))
    }
    guard count == wanted else { throw cutOff() }
    guard scratch[..<wanted].allSatisfy({ $0 == 0 }) else {
      throw malformed("the padding before byte \(stream.position) is not empty")
    }
  }

  private func cutOff() -> EvidenceError {
    EvidenceError(
      .cutOff, "'\(displayPath)' is cut off: the file ends before its archive does",
      context: ["path": path])
  }

  private func malformed(_ reason: String) -> EvidenceError {
    EvidenceError(
      .malformed, "'\(displayPath)' is damaged or no tar archive: \(reason)",
      context: ["path": path])
  }
}

/// What a file is that does not begin like a bundle, when its first bytes tell.
private func foreignForm(_ start: some Collection<UInt8>) -> String? {
  if start.starts(with: [0x50, 0x4B, 3, 4]) || start.starts(with: [0x50, 0x4B, 5, 6]) {
    return "it is a zip archive"
  }
  // The beginnings of a bundle that was cut after a few bytes: not compressed, Zstandard.
  for own in [Array(BundlePaths.manifest.utf8), [0x28, 0xB5, 0x2F, 0xFD]]
  where own.starts(with: start) { return nil }
  let isText = start.allSatisfy { $0 >= 0x20 && $0 != 0x7F || (9...13).contains($0) }
  return isText ? "it is text" : nil
}

extension [UInt8] {
  fileprivate var prefixBeforeZero: [UInt8] { Array(prefix { $0 != 0 }) }
}
