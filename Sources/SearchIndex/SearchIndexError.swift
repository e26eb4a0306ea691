import CSQLite
import Glibc

/// What can go wrong with an index.
package struct SearchIndexError: Error, Sendable, CustomStringConvertible {
  /// Stable codes.
  package enum Code: String, Sendable, CaseIterable {
    /// The file could not be made or filled.
    case notMade = "index-not-made"
    /// The file cannot be opened, read or written.
    case failed = "index-failed"
    /// The file has another version of the schema.
    case otherVersion = "index-of-other-version"
    /// The bytes are no index that can be read safely.
    case unreadable = "index-unreadable"
    /// A text has more words than are searched for.
    case queryTooLong = "index-query-too-long"
  }

  package var code: Code
  /// One sentence without a full stop that names the file.
  package var message: String
  /// Details by name: `path`.
  package var context: [String: String]
  /// What SQLite said, when it said something.
  package var cause: SQLiteFailure?

  init(_ code: Code, path: String, handle: OpaquePointer?) {
    self.code = code
    message =
      code == .notMade ? "cannot make the index '\(path)'" : "the index '\(path)' cannot be used"
    context = ["path": path]
    cause = SQLiteFailure(handle)
  }

  init(path: String, version: Int64, expected: Int) {
    code = .otherVersion
    message = "the index '\(path)' has version \(version) of the schema, not \(expected)"
    context = ["path": path]
  }

  init(unreadable name: String, _ reason: String, cause: SQLiteFailure? = nil) {
    code = .unreadable
    message = "'\(name)' is no index that can be read (\(reason))"
    context = ["path": name]
    self.cause = cause
  }

  init(words: Int) {
    code = .queryTooLong
    message =
      "the text has \(words) words; \(SearchWords.maximumWords) at most are searched for at once"
    context = [:]
  }

  /// Whether the file system is full or broken.
  package var isOfSurroundings: Bool {
    cause?.number == SQLITE_FULL || cause?.number == SQLITE_IOERR
  }

  /// Whether another process has locked the file.
  package var isBusy: Bool { cause?.number == SQLITE_BUSY || cause?.number == SQLITE_LOCKED }

  /// The message, followed by the cause.
  package var description: String {
    message + (code == .unreadable ? "" : cause.map { ": \($0)" } ?? "")
  }
}

/// What SQLite says about the call that failed last on a connection.
package struct SQLiteFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// SQLite's result code.
  package var number: Int32
  package var description: String

  init(_ handle: OpaquePointer?) {
    guard let handle else {
      number = SQLITE_NOMEM
      description = "out of memory"
      return
    }
    number = sqlite3_errcode(handle)
    description = String(cString: sqlite3_errmsg(handle))
    let system = sqlite3_system_errno(handle)
    if system != 0, let text = strerror(system) { description += " (\(String(cString: text)))" }
  }
}
