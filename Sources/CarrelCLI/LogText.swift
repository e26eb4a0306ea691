import Evidence
import Reporting
import RunModel

/// Texts of logs.
enum LogText {
  /// The end of a log of a record; `nil` when it cannot be read.
  ///
  /// - Parameter limit: Bytes of it that reports are made from.
  static func end(
    of log: LogReference, in record: RunRecord, bytes limit: Int = 1 << 16
  ) -> LogEnd? {
    record.logEnd(log, bytes: limit).map { LogEnd($0.bytes, isWhole: $0.isWhole) }
  }
}
