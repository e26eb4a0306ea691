import Glibc
import SystemFiles
import Testing

@testable import Evidence

/// What a folder holds, for comparing two of them: one line for each name below it.
struct TreeSnapshot: Equatable, CustomStringConvertible {
  var lines: [String] = []

  /// - Parameter withModes: Whether permissions are part of the comparison.
  init(_ path: String, withModes: Bool = true) throws {
    let root = try OwnedDescriptor(opening: path, O_RDONLY | O_DIRECTORY)
    try add(root.number, prefix: "", withModes)
    lines.sort()
  }

  private mutating func add(_ folder: Int32, prefix: String, _ withModes: Bool) throws {
    for name in try listFolder(folder) {
      let status = try status(of: name, in: folder)
      let path = prefix + ByteName(bytes: name).percentEncoded
      var line = "\(path) \(ArchiveEntryKind(fileType: status.st_mode).rawValue)"
      if withModes, status.kind != S_IFLNK { line += " \(String(status.permissions, radix: 8))" }
      switch status.kind {
      case S_IFREG:
        let file = try OwnedDescriptor(at: folder, name, O_RDONLY | O_NOFOLLOW)
        line += " \(status.st_size) \(try digest(file.number))"
      case S_IFLNK:
        line += " -> \(ByteName(bytes: try linkTarget(of: name, in: folder)).percentEncoded)"
      case S_IFDIR:
        let inner = try OwnedDescriptor(at: folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
        try add(inner.number, prefix: path + "/", withModes)
      default: break
      }
      lines.append(line)
    }
  }

  private func digest(_ file: Int32) throws -> String {
    var hash = SHA256()
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = try retrying { read(file, &buffer, buffer.count) }
      if count == 0 { return hexadecimal(hash.finish()) }
      hash.update(Array(buffer[..<count]))
    }
  }

  var description: String { lines.joined(separator: "\n") }
}

/// Makes a file at a path of any length and any bytes, folder by folder.
func makeFile(_ components: [[UInt8]], in root: String, content: [UInt8] = []) throws {
  var folder = try OwnedDescriptor(opening: root, O_RDONLY | O_DIRECTORY)
  for name in components.dropLast() {
    withPath(name) { _ = mkdirat(folder.number, $0, 0o755) }
    folder = try OwnedDescriptor(at: folder.number, name, O_RDONLY | O_DIRECTORY)
  }
  guard let last = components.last else { return }
  let file = try OwnedDescriptor(at: folder.number, last, O_WRONLY | O_CREAT | O_EXCL)
  try writeAll(content, to: file.number)
}

/// Components of at most `width` bytes that make a path of exactly so many bytes.
func components(ofLength length: Int, width: Int = 200, letter: Character = "n") -> [[UInt8]] {
  var result: [[UInt8]] = []
  var rest = length
  while rest > 0 {
    // A slash follows each component but the last, so one byte may not be left over.
    var count = min(rest, width)
    if rest - count == 1 { count -= 1 }
    result.append(Array(repeating: letter.asciiValue ?? 110, count: count))
    rest -= count + 1
  }
  return result
}
