import Glibc

/// What can go wrong with a file or folder.
package struct FileError: Error, Sendable, CustomStringConvertible {
  /// Stable codes.
  package enum Code: String, Sendable, CaseIterable {
    /// There is no such file.
    case notFound = "not-found"
    /// It could not be read.
    case unreadable
    /// It could not be written or made.
    case unwritable
    /// It is larger than what the caller takes.
    case limit
  }

  package var code: Code
  /// One sentence without a full stop that names the file.
  package var message: String
  /// Details by name: `path`.
  package var context: [String: String]
  /// What the system said, if it was the system.
  package var cause: SystemFailure?

  package init(_ code: Code, _ message: String, path: String, cause: SystemFailure? = nil) {
    self.code = code
    self.message = message
    context = ["path": path]
    self.cause = cause
  }

  /// A failure to do something with a path: `cannot ACTION 'PATH'`.
  package init(_ code: Code, _ action: String, _ path: String, _ cause: SystemFailure) {
    self.init(code, "cannot \(action) '\(path)'", path: path, cause: cause)
  }

  /// A failure to read a path.
  init(reading path: String, _ cause: SystemFailure) {
    self.init(cause.number == ENOENT ? .notFound : .unreadable, "read", path, cause)
  }

  /// The value of `errno`, 0 when it was not the system.
  package var errorNumber: Int32 { cause?.number ?? 0 }

  /// The message, followed by the cause when there is one.
  package var description: String {
    guard let cause else { return message }
    return "\(message): \(cause)"
  }
}
