import RunModel

/// The text that `carrel bundle diff` prints.
///
/// Whatever the bundles hold, no control character of theirs reaches the terminal.
package struct DiffReport: Sendable {
  package struct Style: Sendable {
    /// Whether differences are coloured by escape sequences.
    package var isColored: Bool
    /// Lines of each text and list that are printed, and with it whether long lines are cut; `nil`
    /// for all.
    package var lines: Int?
    /// Whether only the summary is printed.
    package var isSummary: Bool

    package static let standardLines = 100

    package init(
      isColored: Bool = false, lines: Int? = Style.standardLines, isSummary: Bool = false
    ) {
      self.isColored = isColored
      self.lines = lines
      self.isSummary = isSummary
    }
  }

  let diff: BundleDiff
  let style: Style

  package init(_ diff: BundleDiff, style: Style = Style()) {
    self.diff = diff
    self.style = style
  }

  /// The whole text, without the last line's end.
  package var text: String {
    var lines: [String] = []
    write { lines.append($0) }
    return lines.joined(separator: "\n")
  }

  /// Hands out the text line by line.
  package func write(_ print: (String) -> Void) {
    head(print)
    print("")
    summary(print)
    guard !style.isSummary else { return }
    for part in diff.parts where part.isDifferent {
      print("")
      print(toned("== \(part.part.rawValue)", .title))
      details(of: part, print)
    }
  }

  // MARK: What the bundles are

  private func head(_ print: (String) -> Void) {
    for (mark, name, side) in [("-", "A", diff.a), ("+", "B", diff.b)] {
      print(toned("\(mark) \(name)  \(visibleText(side.path))", mark == "-" ? .old : .new))
      if let problem = side.problems.first {
        let more = side.problems.count > 1 ? ", and \(side.problems.count - 1) more" : ""
        print("     not whole: \(visibleText(problem))\(more)")
      }
    }
    print("")
    func row(_ label: String, _ a: String?, _ b: String?) {
      guard a != nil || b != nil else { return }
      let padding = String(repeating: " ", count: max(1, 12 - label.utf8.count))
      let value = a == b ? short(a ?? "") : "\(short(a ?? "none")) | \(short(b ?? "none"))"
      print("\(label):\(padding)\(value)")
    }
    let (a, b) = (diff.a, diff.b)
    row("test", "\(a.test)", "\(b.test)")
    row("verdict", a.verdict.rawValue, b.verdict.rawValue)
    row("attempt", "\(a.attempt) (\(a.purpose.rawValue))", "\(b.attempt) (\(b.purpose.rawValue))")
    row("run", a.run, b.run)
    row("host", a.hostName, b.hostName)
    row("runtime", a.runtime, b.runtime)
    row("toolchain", a.toolchain, b.toolchain)
    row("isolation", a.isolation, b.isolation)
    row("started", iso8601(a.startedAt), iso8601(b.startedAt))
    row("duration", seconds(a.duration), seconds(b.duration))
    row("worker", "\(a.worker), batch \(a.batch)", "\(b.worker), batch \(b.batch)")
    row("fixture", a.fixtureToken, b.fixtureToken)
    row("carrel", a.carrel, b.carrel)
  }

  private func summary(_ print: (String) -> Void) {
    let test = diff.sameTest ? "the same test" : "two different tests"
    let verdict = diff.sameVerdict ? "the same verdict" : "another verdict"
    let hasMessage = diff.a.message != nil || diff.b.message != nil
    let message =
      !hasMessage ? "no message" : diff.sameMessage ? "the same message" : "another message"
    let isSame = diff.sameTest && diff.sameVerdict && diff.sameMessage
    print(toned("\(test), \(verdict), \(message)", isSame ? .title : .old))
    if hasMessage, diff.sameMessage {
      block("  ", diff.a.message ?? "", limit: 3, print)
    } else if hasMessage {
      block("- ", diff.a.message ?? "(none)", limit: 3, print)
      block("+ ", diff.b.message ?? "(none)", limit: 3, print)
    }
    print("")
    for part in diff.parts where part.isDifferent {
      print("\(padded(part.part.rawValue))\(overview(part))")
    }
    for (label, state) in [("the same", PartDiff.State.same), ("in neither", .absent)] {
      let names = diff.parts.filter { $0.state == state }.map { part in
        let butNames = part.equalButNames ?? 0
        return part.part.rawValue + (butNames > 0 ? " (\(files(butNames)) only but for names)" : "")
      }
      if !names.isEmpty { print(padded(label) + names.joined(separator: ", ")) }
    }
    let names = diff.replaced.filter { $0.a != $0.b }
    if !names.isEmpty {
      print("")
      for name in names {
        print(
          "\(name.placeholder) stands for \(short(name.a ?? "nothing")) in A, "
            + "\(short(name.b ?? "nothing")) in B")
      }
    }
  }

  private func padded(_ label: String) -> String {
    label + String(repeating: " ", count: max(1, 12 - label.utf8.count))
  }

  private func files(_ count: Int) -> String { count == 1 ? "1 file" : "\(count) files" }

  /// One line about a part that differs.
  private func overview(_ part: PartDiff) -> String {
    switch part.state {
    case .unreadable: return "cannot be compared: \(visibleText(part.notes.first ?? ""))"
    case .onlyA: return "only in A" + count(in: part)
    case .onlyB: return "only in B" + count(in: part)
    default: break
    }
    if let fields = part.fields {
      let names = fields.filter { !$0.isExpected }.map(\.name)
      let more = names.count > 6 ? " and \(names.count - 6) more" : ""
      let verb = names.count == 1 ? "1 field differs" : "\(names.count) fields differ"
      return "\(verb): \(names.prefix(6).map { visibleText($0) }.joined(separator: ", "))\(more)"
    }
    if let calls = part.calls {
      return counts(
        calls.rows.map { ($0.a != nil, $0.b != nil) }, equal: calls.equal, one: "call differs",
        many: "calls differ")
    }
    if let entries = part.entries {
      return counts(
        entries.rows.map { ($0.inA, $0.inB) }, equal: entries.equal, one: "entry differs",
        many: "entries differ")
    }
    guard let files = part.files else { return "differs" }
    if part.part == .logs {
      return files.map { file in
        let name = file.name.shown.dropFirst(file.name.shown.hasPrefix("logs/") ? 5 : 0)
        let only = file.b == nil ? " only in A" : file.a == nil ? " only in B" : ""
        return "\(name)\(only)" + (file.text.map { " -\($0.removed) +\($0.added)" } ?? "")
      }.joined(separator: ", ") + (part.equal > 0 ? "; \(part.equal) the same" : "")
    }
    return counts(
      files.map { ($0.a != nil, $0.b != nil) }, equal: part.equal, one: "differs", many: "differ")
  }

  private func count(in part: PartDiff) -> String {
    if let calls = part.calls?.rows.count { return calls == 1 ? ", 1 call" : ", \(calls) calls" }
    if let entries = part.entries?.rows.count {
      return entries == 1 ? ", 1 entry" : ", \(entries) entries"
    }
    return ""
  }

  /// `2 differ, 1 only in A; 17 the same`.
  private func counts(
    _ rows: [(inA: Bool, inB: Bool)], equal: Int, one: String, many: String
  ) -> String {
    let both = rows.count { $0.inA && $0.inB }
    var words: [String] = []
    if both > 0 { words.append("\(both) \(both == 1 ? one : many)") }
    for (name, number) in [
      ("A", rows.count { $0.inA && !$0.inB }), ("B", rows.count { !$0.inA && $0.inB }),
    ] where number > 0 {
      words.append("\(number) only in \(name)")
    }
    return words.joined(separator: ", ") + "; \(equal) the same"
  }

  // MARK: Pieces

  enum Tone: String {
    case old = "31"
    case new = "32"
    case place = "36"
    case title = "1"
  }

  func toned(_ text: String, _ tone: Tone) -> String {
    style.isColored ? "\u{1B}[\(tone.rawValue)m\(text)\u{1B}[0m" : text
  }

  /// A value on one line, cut when it is long.
  func short(_ value: String) -> String { cut(visibleText(value)) }

  static let longestLine = 500

  /// A line that is already visible, cut when it is long.
  ///
  /// - Parameter start: Characters that may be left out at its beginning.
  func cut(_ line: String, from start: Int = 0) -> String {
    guard style.lines != nil, line.utf8.count > Self.longestLine else { return line }
    let count = line.count
    guard count > Self.longestLine else { return line }
    let first = min(max(0, start), count - Self.longestLine)
    let kept = line.dropFirst(first).prefix(Self.longestLine)
    let rest = count - first - kept.count
    return (first > 0 ? "[\(first) characters] … " : "") + kept
      + (rest > 0 ? " … [\(rest) characters]" : "")
  }

  /// A text of several lines behind a mark.
  func block(_ mark: String, _ text: String, limit: Int, _ print: (String) -> Void) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let shown = style.lines == nil ? lines.count : min(limit, lines.count)
    let tone: Tone? = mark.hasSuffix("- ") ? .old : mark.hasSuffix("+ ") ? .new : nil
    for line in lines.prefix(shown) {
      let text = mark + short(String(line))
      print(tone.map { toned(text, $0) } ?? text)
    }
    if shown < lines.count {
      print("\(String(repeating: " ", count: mark.utf8.count))… \(lines.count - shown) more lines")
    }
  }
}
