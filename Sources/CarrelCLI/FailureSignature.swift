import Evidence
import RunModel

/// What two failures are compared by: the verdict and the message, without what differs from run to
/// run anyway.
///
/// In the message the path of the container becomes `<container>`, hexadecimal addresses become
/// `0x...`, and leaked processes are known by their command lines.
struct FailureSignature: Hashable {
  let verdict: Verdict
  let message: String

  init(_ attempt: AttemptResult, container: String?) {
    verdict = attempt.verdict
    var text =
      attempt.verdict == .leaked
      ? attempt.leaks.map(\.command).sorted().joined(separator: "\n")
      : attempt.headline ?? ""
    if let container, !container.isEmpty {
      text = text.replacing(container, with: "<container>")
    }
    message = text.replacing(#/\b0x[0-9a-fA-F]+/#, with: "0x...")
  }

  /// For people; no control character of a message reaches the terminal.
  var safeText: String {
    message.isEmpty
      ? verdict.rawValue : "\(verdict.rawValue): \(ByteName(message).displayName)"
  }
}
