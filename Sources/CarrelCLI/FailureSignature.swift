import Evidence
import RunModel

/// What two failures are compared by: the verdict and the message, without what differs from run to
/// run anyway.
///
/// In the message the path of the container becomes `<container>`, UUIDs become `<UUID>` because
/// most are made anew each time, hexadecimal addresses become `0x...` (`$...` where a private type
/// is named by one), the line at which a test called an app becomes `...`, and the elements of each
/// pair of brackets or braces are sorted, because sets and dictionaries have another order in each
/// process, and an NSError's user information is one. Leaked processes are known by their command
/// lines. A time-out has no message: it tells the limit, which may be another.
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
      .replacing(
        #/\b[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\b/#, with: "<UUID>"
      )
      .replacing(#/\(called at ([^():]+):[0-9]+\)/#) { "(called at \($0.output.1):...)" }
    message = Self.sortingElements(text)
  }

  /// The text with what stands between commas in brackets or braces sorted, from the inside out.
  static func sortingElements(_ text: String) -> String {
    var open: [(opening: Character?, elements: [String])] = [(nil, [""])]
    func add(_ piece: String) {
      let last = open.count - 1
      open[last].elements[open[last].elements.count - 1] += piece
    }
    let openings: [Character: Character] = ["]": "[", "}": "{"]
    for character in text {
      switch character {
      case "[", "{": open.append((character, [""]))
      case ",": if open.count > 1 { open[open.count - 1].elements.append("") } else { add(",") }
      case "]", "}":
        guard let opening = open.last?.opening, opening == openings[character],
          let group = open.popLast()
        else {
          add(String(character))
          continue
        }
        let sorted = group.elements.map { $0.drop { $0 == " " } }.sorted()
        add("\(opening)" + sorted.joined(separator: ", ") + String(character))
      default: add(String(character))
      }
    }
    // What was opened and has no end.
    return open.map { ($0.opening.map { String($0) } ?? "") + $0.elements.joined(separator: ",") }
      .joined()
  }

  /// For people; no control character of a message reaches the terminal.
  var safeText: String {
    message.isEmpty
      ? verdict.rawValue : "\(verdict.rawValue): \(ByteName(message).displayName)"
  }
}
