import Evidence
import RunModel

/// What two failures are compared by: the verdict and the message, without what differs from run to
/// run anyway.
///
/// In the message the path of the container becomes `<container>`, hexadecimal addresses become
/// `0x...` (`$...` where a private type is named by one), and the elements of each pair of brackets
/// are sorted, because sets and dictionaries have another order in each process. Leaked processes
/// are known by their command lines. A time-out has no message: it tells the limit, which may be
/// another.
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
    if attempt.verdict == .timedOut { text = "" }
    text = text.replacing(#/\b0x[0-9a-fA-F]+/#, with: "0x...")
      .replacing(#/\$[0-9a-f]{6,16}\b/#, with: "$...")
    message = Self.sortingElements(text)
  }

  /// The text with what stands between commas in brackets sorted, from the inside out.
  static func sortingElements(_ text: String) -> String {
    var open: [[String]] = [[""]]
    func add(_ piece: String) {
      let last = open.count - 1
      open[last][open[last].count - 1] += piece
    }
    for character in text {
      switch character {
      case "[": open.append([""])
      case ",": if open.count > 1 { open[open.count - 1].append("") } else { add(",") }
      case "]":
        guard open.count > 1, let elements = open.popLast() else {
          add("]")
          continue
        }
        let sorted = elements.map { $0.drop { $0 == " " } }.sorted()
        add("[" + sorted.joined(separator: ", ") + "]")
      default: add(String(character))
      }
    }
    // Brackets without an end.
    return open.map { $0.joined(separator: ",") }.joined(separator: "[")
  }

  /// For people; no control character of a message reaches the terminal.
  var safeText: String {
    message.isEmpty
      ? verdict.rawValue : "\(verdict.rawValue): \(ByteName(message).displayName)"
  }
}
