import Glibc
import SystemFiles

/// Reads a file line by line with memory bounded by the longest line.
struct LineReader: ~Copyable {
  struct Line {
    /// The bytes without the newline.
    var bytes: ArraySlice<UInt8>
    /// Whether a newline ended the line; only the last line may lack it.
    var isWhole: Bool
  }

  /// Longest line that is taken; longer ones are an error.
  static let maxLineBytes = 64 << 20

  private let file: OwnedDescriptor
  private let path: String
  private var buffer: [UInt8] = []
  private var piece = [UInt8](repeating: 0, count: 65_536)
  private var start = 0
  private var isAtEnd = false

  init(path: String) throws {
    do throws(SystemFailure) {
      file = try Self.open(path)
    } catch {
      let code: EvidenceError.Code = error.number == ENOENT ? .notFound : .unreadable
      throw EvidenceError.system(code, "read", path: path, errno: error.number)
    }
    self.path = path
  }

  /// Opens a regular file: nobody may ever write to a named pipe that somebody has put there.
  private static func open(_ path: String) throws(SystemFailure) -> OwnedDescriptor {
    let file = try OwnedDescriptor(opening: path, O_RDONLY | O_NOCTTY | O_NONBLOCK)
    let isRegular = try file.status().isRegular
    guard isRegular else { throw SystemFailure(EINVAL) }
    return file
  }

  /// The next line, `nil` at the end of the file.
  mutating func next() throws -> Line? {
    var searched = start
    while true {
      if let newline = buffer[searched...].firstIndex(of: 10) {
        defer { start = newline + 1 }
        return Line(bytes: buffer[start..<newline], isWhole: true)
      }
      if isAtEnd {
        guard start < buffer.count else { return nil }
        defer { start = buffer.count }
        return Line(bytes: buffer[start...], isWhole: false)
      }
      buffer.removeSubrange(..<start)
      start = 0
      searched = buffer.count
      guard buffer.count < Self.maxLineBytes else {
        throw EvidenceError(
          .limit, "'\(path)' has a line of more than \(Self.maxLineBytes) bytes",
          context: ["path": path])
      }
      try fill()
    }
  }

  private mutating func fill() throws {
    var count = 0
    do {
      count = try retrying { read(file.number, &piece, piece.count) }
    } catch {
      throw EvidenceError.system(.unreadable, "read", path: path, errno: error.number)
    }
    buffer += piece[..<count]
    isAtEnd = count == 0
  }
}
