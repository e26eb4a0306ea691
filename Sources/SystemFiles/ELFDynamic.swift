import Glibc

/// What an ELF executable or library of 64 bits says about the libraries that it needs (elf(5)).
package struct ELFDynamic: Hashable, Sendable {
  /// File names of the libraries, in their order.
  package var needed: [String] = []
  /// Folders in which the dynamic linker looks for them first, `$ORIGIN` replaced.
  package var searchFolders: [String] = []

  private static let maxEntries = 4096
  private static let maxNameBytes = 4096

  /// - Returns: `nil` for a file that cannot be read, is something else, or is damaged.
  package init?(of path: String) {
    guard let file = try? OwnedDescriptor(opening: path, O_RDONLY | O_NONBLOCK | O_NOCTTY),
      let header = bytes(of: file, at: 0, count: 64),
      header.starts(with: [0x7F, 0x45, 0x4C, 0x46, 2, 1]),
      let table = number(header, 32, 8), let size = number(header, 54, 2),
      let count = number(header, 56, 2), size >= 56, count < 1024,
      let segments = bytes(of: file, at: table, count: size * count)
    else { return nil }
    var loaded: [(address: Int, offset: Int, size: Int)] = []
    var dynamic: (offset: Int, size: Int)?
    for start in stride(from: 0, to: size * count, by: size) {
      guard let type = number(segments, start, 4), let offset = number(segments, start + 8, 8),
        let address = number(segments, start + 16, 8),
        let length = number(segments, start + 32, 8)
      else { return nil }
      if type == 1 { loaded.append((address, offset, length)) }
      if type == 2 { dynamic = (offset, length) }
    }
    // A program without it needs none.
    guard let dynamic else { return }
    guard
      let entries = bytes(
        of: file, at: dynamic.offset, count: min(dynamic.size, 16 * Self.maxEntries))
    else { return nil }
    var names: [Int] = []
    var runPath: Int?
    var oldPath: Int?
    var texts: Int?
    for start in stride(from: 0, through: entries.count - 16, by: 16) {
      guard let tag = number(entries, start, 8), let value = number(entries, start + 8, 8) else {
        continue
      }
      switch tag {
      case 0: break
      case 1: names.append(value)
      case 5: texts = value
      case 15: oldPath = value
      case 29: runPath = value
      default: continue
      }
      if tag == 0 { break }
    }
    guard let texts,
      let segment = loaded.first(where: { $0.address <= texts && texts - $0.address < $0.size })
    else { return }
    let base = texts - segment.address + segment.offset
    func text(_ offset: Int) -> String? {
      var length = 256
      while length <= Self.maxNameBytes {
        // Near the end of the file there is less.
        let read = bytes(of: file, at: base + offset, count: length, allowsLess: true) ?? []
        if let end = read.firstIndex(of: 0) { return String(decoding: read[..<end], as: UTF8.self) }
        length *= 2
      }
      return nil
    }
    needed = names.compactMap(text)
    let origin = folder(of: path)
    let folders = (runPath ?? oldPath).flatMap(text) ?? ""
    searchFolders = folders.split(separator: ":").map { String($0) }.map {
      $0.replacing("${ORIGIN}", with: origin).replacing("$ORIGIN", with: origin)
    }
  }
}
