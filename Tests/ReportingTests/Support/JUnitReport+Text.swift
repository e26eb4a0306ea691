import Reporting
import RunModel

extension JUnitReport {
  /// The report as text.
  static func render(
    _ state: RunState, options: Options = Options(), logText: (LogReference) -> LogEnd?
  ) -> String {
    String(decoding: renderUTF8(state, options: options, logText: logText), as: UTF8.self)
  }
}
