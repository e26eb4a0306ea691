import Reporting
import SystemFiles

/// Texts of logs.
enum LogText {
  /// The last bytes of a file; `nil` when it cannot be read.
  static func end(of path: String, bytes limit: Int) -> LogEnd? {
    readEnd(of: path, bytes: limit).map { LogEnd($0.bytes, isWhole: $0.isWhole) }
  }
}
