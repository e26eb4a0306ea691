import Glibc

/// Whether a file is an ELF executable or library of 64 bits with a section of this name (elf(5)).
///
/// - Returns: `false` also for a file that cannot be read, and for one with a damaged table of
///   sections.
package func hasSection(_ name: String, inExecutable path: String) -> Bool {
  guard let file = try? OwnedDescriptor(opening: path, O_RDONLY | O_NONBLOCK | O_NOCTTY),
    let header = bytes(of: file, at: 0, count: 64),
    header.starts(with: [0x7F, 0x45, 0x4C, 0x46, 2, 1]),
    let table = number(header, 40, 8), let size = number(header, 58, 2),
    let count = number(header, 60, 2), let names = number(header, 62, 2),
    size >= 64, count > 0, count < 4096, names < count,
    let sections = bytes(of: file, at: table, count: size * count),
    let offset = number(sections, names * size + 24, 8),
    let length = number(sections, names * size + 32, 8),
    let texts = bytes(of: file, at: offset, count: length)
  else { return false }
  let wanted = Array(name.utf8) + [0]
  return (0..<count).contains { index in
    guard let start = number(sections, index * size, 4), start < texts.count else { return false }
    return texts[start...].starts(with: wanted)
  }
}

/// Whether a file is an ELF executable or library of 64 bits that has not lost its end, where
/// linkers put the table of sections (elf(5)).
///
/// - Returns: `true` also for one without such a table, and `false` for a file that cannot be read.
package func isWholeProgram(_ path: String) -> Bool {
  guard let file = try? OwnedDescriptor(opening: path, O_RDONLY | O_NONBLOCK | O_NOCTTY),
    let header = bytes(of: file, at: 0, count: 64),
    header.starts(with: [0x7F, 0x45, 0x4C, 0x46, 2, 1]),
    let table = number(header, 40, 8), let size = number(header, 58, 2),
    let count = number(header, 60, 2)
  else { return false }
  return table == 0 || bytes(of: file, at: table, count: size * count) != nil
}

/// A number of up to eight bytes, the least significant first.
func number(_ bytes: [UInt8], _ offset: Int, _ count: Int) -> Int? {
  guard offset + count <= bytes.count else { return nil }
  let value = (0..<count).reduce(UInt64(0)) {
    $0 | UInt64(bytes[offset + $1]) << (8 * UInt64($1))
  }
  return Int(exactly: value)
}

/// Bytes of a file.
///
/// - Parameter allowsLess: Whether fewer may be there.
/// - Returns: `nil` when they cannot be read.
func bytes(
  of file: borrowing OwnedDescriptor, at offset: Int, count: Int, allowsLess: Bool = false
) -> [UInt8]? {
  guard offset >= 0, count >= 0, count <= 1 << 20 else { return nil }
  var result = [UInt8](repeating: 0, count: count)
  var done = 0
  while done < count {
    let read = result.withUnsafeMutableBytes {
      pread(file.number, $0.baseAddress.map { $0 + done }, count - done, offset + done)
    }
    if read == 0, allowsLess { return Array(result[..<done]) }
    guard read > 0 else { return nil }
    done += read
  }
  return result
}
