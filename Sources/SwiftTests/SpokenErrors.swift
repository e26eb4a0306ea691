import RunModel
import Workers

/// Errors of the system that programs have printed: what a child of a test was kept from is told by
/// nothing else. It explains failures, and changes no verdict.
package struct SpokenErrors: Sendable {
  /// What was said of a call that failed.
  enum Kind: Hashable, Sendable {
    case readOnly, missing, unreachable
    case limit(LimitSign)
  }

  /// The words of strerror(3) in the language that tests have, and those of common programs.
  private static let words: [(text: String, kind: Kind)] = [
    ("Read-only file system", .readOnly), ("Network is unreachable", .unreachable),
    ("ould not resolve host", .unreachable),
    ("Temporary failure in name resolution", .unreachable),
    ("Too many open files", .limit(.files)), ("No space left on device", .limit(.space)),
    ("File size limit exceeded", .limit(.fileSize)), ("File too large", .limit(.fileSize)),
    ("Cannot fork", .limit(.processes)), ("cannot fork", .limit(.processes)),
    ("Resource temporarily unavailable", .limit(.processes)),
    ("Cannot allocate memory", .limit(.memory)), ("No such file", .missing),
    (": not found", .missing),
  ]

  /// Most lines that are looked at, from the end.
  private static let mostLines = 200
  /// Most paths of one line.
  private static let mostPaths = 4

  /// What was said, with the paths in the same line.
  private(set) var found: [(kind: Kind, paths: [String], words: String)] = []

  /// - Parameter texts: What a test and its children have printed, and messages of its issues.
  package init(in texts: [String]) {
    for text in texts {
      for line in text.split(whereSeparator: \.isNewline).suffix(Self.mostLines) {
        guard let (words, kind) = Self.words.first(where: { line.contains($0.text) }) else {
          continue
        }
        found.append((kind, Array(Self.paths(in: line).prefix(Self.mostPaths)), words))
      }
    }
  }

  /// The limits that somebody has met, by what was said.
  package var limitSigns: Set<LimitSign> {
    Set(found.compactMap { if case .limit(let sign) = $0.kind { sign } else { nil } })
  }

  /// Absolute paths in a line: between quotation marks, or up to a space or what else ends one.
  static func paths(in line: Substring) -> [String] {
    var paths: [String] = []
    var rest = line
    while let slash = rest.firstIndex(of: "/") {
      let before = slash == rest.startIndex ? " " : rest[rest.index(before: slash)]
      let ends: (Character) -> Bool
      switch before {
      case "'", "\"", "`": ends = { $0 == before || (before == "`" && $0 == "'") }
      case "\u{2018}": ends = { $0 == "\u{2019}" }
      case " ", "\t", "=", "(", ":", "[", "<": ends = { " \t,;)'\"]>".contains($0) }
      default:
        rest = rest[rest.index(after: slash)...]
        continue
      }
      var path = rest[slash...].prefix { !ends($0) }
      rest = rest[path.endIndex...]
      while let last = path.last, ":.".contains(last) { path = path.dropLast() }
      // What follows a scheme is none.
      if path.count > 1, !path.hasPrefix("//") { paths.append(String(path)) }
    }
    return paths
  }
}

extension TestSurroundings {
  /// What was kept from a test's children, as they have said.
  package func hints(for errors: SpokenErrors) -> [String] {
    var hints: [String] = []
    for (kind, paths, words) in errors.found {
      switch kind {
      case .readOnly:
        // Others are the program, or what was to be copied.
        hints += paths.suffix(1).filter { !container.contains(seen: $0) }
          .compactMap { hint(ofRefusal: $0) }
      case .missing:
        hints += paths.compactMap { hint(ofUnseen: Self.shownPart(of: $0), whole: $0) }
      case .unreachable:
        guard let network, network != .host else { continue }
        hints.append(
          "somebody said '\(words)': the sandbox has no network but an interface of its own; "
            + "'--network host' gives tests the machine's")
      case .limit: break
      }
    }
    var seen: Set<String> = []
    return Array(hints.filter { seen.insert($0).inserted }.prefix(5))
  }

  /// What has to be shown of a path that nobody has looked at part by part: what lies in the folder
  /// that is each sandbox's own.
  private static func shownPart(of path: String) -> String {
    let parent = (SandboxFolders.hidden + ["/dev"]).first { path.hasPrefix($0 + "/") }
    guard let parent else { return path }
    let name = path.dropFirst(parent.utf8.count + 1).prefix { $0 != "/" }
    return "\(parent)/\(name)"
  }
}

extension Container {
  fileprivate func contains(seen path: String) -> Bool {
    path == view || path.hasPrefix(view + "/")
  }
}
