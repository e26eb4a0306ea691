import Evidence
import RunModel

/// What two failures are compared by: the verdict and the message, without what differs from run to
/// run anyway.
///
/// In the message the path of the container becomes `<container>`, that of the package `<package>`,
/// also where a URL has it, UUIDs become `<UUID>` because most are made anew each time, hexadecimal
/// addresses become `0x...` (`$...` where a private type is named by one), the line at which a test
/// called an app becomes `...`, and the elements of each pair of brackets or braces are sorted,
/// because sets and dictionaries have another order in each process, and an NSError's user
/// information is one. Leaked processes are known by their command lines. A time-out has no
/// message: it tells the limit, which may be another.
struct FailureSignature: Hashable {
  let verdict: Verdict
  let message: String

  /// - Parameters:
  ///   - container: Absolute path of the container as the test saw it; `nil` when it is not known.
  ///   - package: Absolute path of the package's folder; `nil` when it is not known.
  init(_ attempt: AttemptResult, container: String?, package: String? = nil) {
    verdict = attempt.verdict
    var text =
      attempt.verdict == .leaked
      ? attempt.leaks.map(\.command).sorted().joined(separator: "\n")
      : attempt.headline ?? ""
    if let container { text = Self.replacing(container, with: "<container>", in: text) }
    if let package { text = Self.replacing(package, with: "<package>", in: text) }
    if attempt.verdict == .timedOut { text = "" }
    text = text.replacing(#/\b0x[0-9a-fA-F]+/#, with: "0x...")
      .replacing(#/\$[0-9a-f]{6,16}\b/#, with: "$...")
      .replacing(
        #/\b[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\b/#, with: "<UUID>"
      )
      .replacing(#/\(called at ([^():]+):[0-9]+\)/#) { "(called at \($0.output.1):...)" }
    message = Self.sortingElements(text)
  }

  /// The text with the path of a folder replaced, as it is and as a URL has it, where it ends there
  /// or a slash follows.
  static func replacing(_ folder: String, with name: String, in text: String) -> String {
    // Every path begins with the root.
    guard folder.hasPrefix("/"), folder != "/" else { return text }
    let forms = [folder, percentEncoded(folder)]
    return forms.reduce(text) { text, form in
      var result = ""
      var rest = text[...]
      while let found = rest.firstRange(of: form) {
        result += rest[..<found.lowerBound]
        rest = rest[found.upperBound...]
        // A full stop may be the end of a sentence.
        let next = rest.first == "." ? rest.dropFirst().first : rest.first
        let isLonger = next.map { $0.isLetter || $0.isNumber || "-_%".contains($0) } ?? false
        result += isLonger ? form : name
      }
      return result + rest
    }
  }

  /// A path as a URL has it (RFC 3986, section 3.3).
  private static func percentEncoded(_ path: String) -> String {
    let kept = Set("-._~!$&'()*+,;=:@/".utf8)
    return path.utf8.map { byte in
      let scalar = UnicodeScalar(byte)
      let isWord = Character(scalar).isLetter || Character(scalar).isNumber
      if scalar.isASCII, isWord || kept.contains(byte) {
        return String(scalar)
      }
      let digits = String(byte, radix: 16, uppercase: true)
      return digits.utf8.count == 1 ? "%0\(digits)" : "%\(digits)"
    }.joined()
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
