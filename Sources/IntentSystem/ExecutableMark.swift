import Glibc

/// Tells an executable with an intent host in it from any other without running it, by a section
/// that the library brings along (elf(5)).
enum ExecutableMark {
  static let sectionName = "carrel_intent_host"

  /// Whether a file is an ELF executable of 64 bits with the section.
  static func isIntentHost(_ path: String) -> Bool {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    guard let header = bytes(descriptor, 0, 64),
      header.starts(with: [0x7F, 0x45, 0x4C, 0x46, 2, 1]),
      let table = number(header, 40, 8), let size = number(header, 58, 2),
      let count = number(header, 60, 2), let names = number(header, 62, 2),
      size >= 64, count > 0, count < 4096, names < count,
      let sections = bytes(descriptor, table, size * count),
      let texts = section(sections, names, size).flatMap({ bytes(descriptor, $0.offset, $0.size) })
    else { return false }
    let wanted = Array(sectionName.utf8) + [0]
    return (0..<count).contains { index in
      guard let name = number(sections, index * size, 4), name < texts.count else { return false }
      return texts[name...].starts(with: wanted)
    }
  }

  private static func section(
    _ sections: [UInt8], _ index: Int, _ size: Int
  ) -> (offset: Int, size: Int)? {
    guard let offset = number(sections, index * size + 24, 8),
      let length = number(sections, index * size + 32, 8), length < 1 << 20
    else { return nil }
    return (offset, length)
  }

  private static func number(_ bytes: [UInt8], _ offset: Int, _ count: Int) -> Int? {
    guard offset + count <= bytes.count else { return nil }
    let value = (0..<count).reduce(UInt64(0)) {
      $0 | UInt64(bytes[offset + $1]) << (8 * UInt64($1))
    }
    return Int(exactly: value)
  }

  private static func bytes(_ descriptor: Int32, _ offset: Int, _ count: Int) -> [UInt8]? {
    guard offset >= 0, count >= 0, count <= 1 << 20 else { return nil }
    var result = [UInt8](repeating: 0, count: count)
    var done = 0
    while done < count {
      let read = result.withUnsafeMutableBytes {
        pread(descriptor, $0.baseAddress.map { $0 + done }, count - done, offset + done)
      }
      guard read > 0 else { return nil }
      done += read
    }
    return result
  }
}
