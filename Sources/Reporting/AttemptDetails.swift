import RunModel

extension AttemptResult {
  /// What is known of an attempt besides its output, line by line: messages, the cases that failed,
  /// processes left behind, the end of the process.
  ///
  /// - Parameters:
  ///   - root: Folder that source paths are made relative to.
  ///   - limit: Number of issues, cases and processes that are named each; the others are counted.
  ///   - message: Makes a message fit for the report.
  ///   - name: Makes a name or command line fit for the report.
  func details(
    root: String?, leaksFail: Bool, limit: Int, message: (String) -> String,
    name: (String) -> String
  ) -> [String] {
    var lines: [String] = []
    if verdict != .failed || !issues.contains(where: \.isFailure) {
      // What the process said of a crash is among the issues.
      lines.append(message(verdict == .crashed ? crashExplanation : explanation))
    }
    lines += issues.prefix(limit).map { message($0.line(root: root)) }
    let moreIssues = allIssues - min(issues.count, limit)
    if moreIssues > 0 { lines.append("and \(counted(moreIssues, "more issue"))") }

    func list(_ heading: String, _ items: [String], of count: Int) {
      guard count > 0 else { return }
      lines.append(heading)
      lines += items.map { "  \($0)" }
      if count > items.count { lines.append("  and \(count - items.count) more") }
    }
    // What counts besides the failure itself.
    if verdict == .failed, issues.contains(where: \.isFailure), let reason {
      lines.append(message(reason))
    }
    let (failing, failed) = failedCases(leaksFail: leaksFail)
    list(
      "\(failed) of \(counted(allCases, "case")) failed:",
      failing.prefix(limit).map { "\($0.verdict.rawValue): \(name($0.name))" }, of: failed)
    list(
      "left behind:",
      leaks.prefix(limit).map { leak in
        "pid \(leak.pid): \(name(leak.command))"
          + (leak.holdings.map { "; \(name($0))" } ?? "")
      },
      of: allLeaks)
    if let end = remarkableEnd { lines.append("process ended: \(end)") }
    return lines
  }
}

extension TestIssue {
  /// `File.swift:12: [case] message`.
  func line(root: String?) -> String {
    var line = ""
    if let location {
      line += "\(displayPath(location.file, in: root)):\(location.line): "
    }
    if isKnown { line += "known issue: " }
    if severity == .warning { line += "warning: " }
    if let caseName { line += "[\(terminalSafe(caseName))] " }
    return line + message
  }
}
