extension DiffReport {
  /// Everything that differs in a part.
  func details(of part: PartDiff, _ print: (String) -> Void) {
    for note in part.notes { print("note: \(short(note))") }
    if let fields = part.fields {
      limited(fields.filter { !$0.isExpected }, print) { self.field($0, indent: "", print) }
    }
    if let calls = part.calls { self.calls(calls, print) }
    if let entries = part.entries {
      limited(entries.rows, print) { row in
        let mark = row.inA && row.inB ? "~" : row.inA ? "-" : "+"
        title(mark, "\(short(row.type)) \(short(row.identifier))", print)
        for field in row.fields {
          self.field(field, indent: "    ", isSingle: row.inA != row.inB, print)
        }
      }
    }
    if let files = part.files {
      limited(files, print) { self.file($0, isLog: part.part == .logs, print) }
    }
  }

  /// Does something for the first items, and says how many are left out.
  private func limited<Item>(
    _ items: [Item], _ print: (String) -> Void, _ body: (Item) -> Void
  ) {
    let shown = items.prefix(style.lines ?? items.count)
    for item in shown { body(item) }
    more(items.count - shown.count, "differences", print)
  }

  private func more(_ count: Int, _ what: String, _ print: (String) -> Void, indent: String = "") {
    guard count > 0 else { return }
    print("\(indent)… \(count) more \(what); --all prints them")
  }

  private func title(_ mark: String, _ text: String, _ print: (String) -> Void) {
    let line = "\(mark) \(text)"
    print(mark == "-" ? toned(line, .old) : mark == "+" ? toned(line, .new) : line)
  }

  /// - Parameter isSingle: Whether it belongs to something that is on one side only.
  private func field(
    _ field: FieldDifference, indent: String, isSingle: Bool = false, _ print: (String) -> Void
  ) {
    let note = field.note.map { " (\($0))" } ?? ""
    let name = visibleText(field.name)
    let values = [field.a, field.b]
    let isShort = values.allSatisfy { ($0?.utf8.count ?? 0) <= 60 && $0?.contains("\n") != true }
    guard !isShort else {
      let (a, b) = (field.a.map(visibleText), field.b.map(visibleText))
      if isSingle { return print("\(indent)\(name): \(a ?? b ?? "")\(note)") }
      switch (a, b) {
      case (let a?, let b?): print("\(indent)\(name): \(a) | \(b)\(note)")
      case (let a?, nil): print(toned("\(indent)\(name): only in A: \(a)\(note)", .old))
      case (nil, let b): print(toned("\(indent)\(name): only in B: \(b ?? "")\(note)", .new))
      }
      return
    }
    print("\(indent)\(name):\(note)")
    if let a = field.a { block("\(indent)  - ", a, limit: 20, print) }
    if let b = field.b { block("\(indent)  + ", b, limit: 20, print) }
  }

  private func calls(_ calls: CallComparison, _ print: (String) -> Void) {
    var (a, b) = (0, 0)
    func same(_ count: Int) {
      guard count > 0 else { return }
      print("= \(count == 1 ? "1 call" : "\(count) calls") the same")
      (a, b) = (a + count, b + count)
    }
    let shown = calls.rows.prefix(style.lines ?? calls.rows.count)
    for row in shown {
      same(row.a.map { $0 - a - 1 } ?? row.b.map { $0 - b - 1 } ?? 0)
      let mark = row.a != nil && row.b != nil ? "~" : row.a != nil ? "-" : "+"
      let numbers = Set([row.a, row.b].compactMap { $0 })
      let number =
        numbers.count == 1 ? "\(numbers.first ?? 0)" : "\(row.a ?? 0)|\(row.b ?? 0)"
      title(mark, "\(number) \(short(row.name))", print)
      for field in row.fields {
        self.field(field, indent: "    ", isSingle: row.a == nil || row.b == nil, print)
      }
      a = row.a ?? a
      b = row.b ?? b
    }
    if shown.count < calls.rows.count {
      more(calls.rows.count - shown.count, "calls", print)
    } else {
      same(calls.equal - (a - shown.count { $0.a != nil }))
    }
    if !calls.isMinimal { print("note: there are so many calls that fewer may differ") }
  }

  private func file(_ file: FileDifference, isLog: Bool, _ print: (String) -> Void) {
    let name = short(file.name.shown)
    switch (file.a, file.b) {
    case (let a?, nil): title("-", "\(name) (\(facts(a)))", print)
    case (nil, let b?): title("+", "\(name) (\(facts(b)))", print)
    case (let a?, let b?): title("~", "\(name): \(changes(file, a, b))", print)
    case (nil, nil): break
    }
    if let text = file.text { hunks(of: text, indent: isLog ? "" : "    ", print) }
  }

  private func facts(_ facts: FileFacts) -> String {
    var words = [facts.type]
    if let size = facts.size { words.append(size == 1 ? "1 byte" : "\(size) bytes") }
    if let target = facts.target { words.append("to \(short(target))") }
    return words.joined(separator: ", ")
  }

  private func changes(_ file: FileDifference, _ a: FileFacts, _ b: FileFacts) -> String {
    file.changes.map { change in
      switch change {
      case .type: return "\(facts(a)) | \(facts(b))"
      case .mode: return "mode \(a.mode) | \(b.mode)"
      case .target: return "to \(short(a.target ?? "nothing")) | \(short(b.target ?? "nothing"))"
      case .modified: return "modified \(a.modified ?? "none") | \(b.modified ?? "none")"
      case .content:
        if let text = file.text { return "-\(text.removed) +\(text.added) lines" }
        let sizes = a.size == b.size ? "\(a.size ?? 0)" : "\(a.size ?? 0) | \(b.size ?? 0)"
        let digests = [a, b].map { String(($0.sha256 ?? "").prefix(12)) }
        let why =
          switch file.noText {
          case .binary?: "binary, "
          case .large?: "too large to compare lines, "
          case .budget?: "lines are not compared, "
          case nil: ""
          }
        return "\(why)\(sizes) bytes, SHA-256 \(digests[0])… | \(digests[1])…"
      }
    }.joined(separator: "; ")
  }

  private func hunks(of text: TextDifference, indent: String, _ print: (String) -> Void) {
    var left = style.lines ?? Int.max
    var hidden = 0
    for hunk in text.hunks {
      guard left > 0 else {
        hidden += hunk.lines.count
        continue
      }
      print(
        toned(
          "\(indent)@@ -\(hunk.aStart),\(hunk.aCount) +\(hunk.bStart),\(hunk.bCount) @@", .place))
      let starts = starts(in: hunk.lines)
      for (line, start) in zip(hunk.lines, starts).prefix(left) {
        let shown = indent + line.prefix(1) + cut(String(line.dropFirst()), from: start)
        print(
          line.hasPrefix("-")
            ? toned(shown, .old) : line.hasPrefix("+") ? toned(shown, .new) : shown)
      }
      hidden += max(0, hunk.lines.count - left)
      left -= min(left, hunk.lines.count)
    }
    more(hidden, "lines", print, indent: indent)
    if !text.isMinimal {
      print("\(indent)note: the texts differ so much that fewer lines may be changed")
    }
  }

  /// How many characters at the beginning of each line may be left out: where a long line begins
  /// like the one that has come in its place, the difference must be seen.
  private func starts(in lines: [String]) -> [Int] {
    var starts = [Int](repeating: 0, count: lines.count)
    guard style.lines != nil, lines.contains(where: { $0.utf8.count > Self.longestLine }) else {
      return starts
    }
    var index = 0
    while index < lines.count {
      let old = index
      while index < lines.count, lines[index].hasPrefix("-") { index += 1 }
      let new = index
      while index < lines.count, lines[index].hasPrefix("+") { index += 1 }
      for offset in 0..<min(new - old, index - new) {
        let (a, b) = (lines[old + offset].dropFirst(), lines[new + offset].dropFirst())
        let common = zip(a, b).prefix { $0 == $1 }.count
        let start = common > 100 ? common - 60 : 0
        starts[old + offset] = start
        starts[new + offset] = start
      }
      if index == old { index += 1 }
    }
    return starts
  }
}
