package import RunModel

extension ConsoleReport {
  /// Longest line of output shown, in characters; the rest is counted.
  private static let lineLimit = 500

  /// Everything a person needs about an attempt that did not succeed; begins with its line.
  ///
  /// - Parameters:
  ///   - state: The run with this attempt and its bundle already applied.
  ///   - logText: The end of a log; `nil` when it cannot be read.
  package func failure(
    _ attempt: AttemptResult, in state: RunState, logText: (LogReference) -> LogEnd?
  ) -> String {
    var lines = [line(for: attempt, in: state)]
    lines += detail(attempt).map { indented($0, by: 4) }
    for (stream, log) in [("stdout", attempt.stdout), ("stderr", attempt.stderr)] {
      guard let log else { continue }
      let text = output(
        of: log, stream: stream, logText: logText, filter: attempt.withoutRepetitions)
      if let text { lines.append(indented(text, by: 4)) }
    }
    for app in attempt.apps {
      let text = output(
        of: app.log, stream: terminalSafe(app.bundleIdentifier), logText: logText
      ) { attempt.withoutToldLines(condensingBacktraces(in: $0)) }
      if let text { lines.append(indented(text, by: 4)) }
    }
    if let bundle = state.test(attempt.test)?.bundles[attempt.attempt] {
      lines += bundleLines(bundle)
    }
    return lines.joined(separator: "\n")
  }

  /// A failed attempt's bundle, when it is written after the failure was printed:
  /// `BUNDLE  name`, and below it how to reproduce the failure from it.
  package func bundleLine(_ bundle: BundleReference) -> String {
    let start = toned("BUNDLE", .faint) + "  " + terminalSafe(names.name(of: bundle.test))
    return ([start] + bundleLines(bundle)).joined(separator: "\n")
  }

  /// What commands need to know of the package.
  private var packageArgument: String {
    isPackageCurrent ? "" : packagePath.map { " " + shellQuoted($0) } ?? ""
  }

  private func bundleLines(_ bundle: BundleReference) -> [String] {
    let path = joinedPath(runFolder, bundle.path)
    let package = archivePath.map { " --archive " + shellQuoted($0) } ?? packageArgument
    return [
      "    bundle: \(terminalSafe(path))",
      "    reproduce: carrel repro \(shellQuoted(path))\(package)",
    ]
  }

  /// Messages, cases, processes: what is known besides the output.
  private func detail(_ attempt: AttemptResult) -> [String] {
    attempt.details(
      root: packagePath, leaksFail: style.leaksFail, limit: 20, message: { shortened($0) },
      name: { terminalSafe(String(head(of: $0, bytes: Self.lineLimit))) })
  }

  /// The beginning of a message, with a mark when something was left out.
  private func shortened(_ text: String) -> String {
    let kept = head(of: text, bytes: 8192)
    let mark = kept.utf8.count < text.utf8.count ? " [... \(text.utf8.count) bytes]" : ""
    return terminalSafe(String(kept), as: .lines) + mark
  }

  /// The last lines of a stream under a heading; `nil` when there is nothing to show.
  ///
  /// - Parameter filter: Takes out what is told elsewhere.
  private func output(
    of log: LogReference, stream: String, logText: (LogReference) -> LogEnd?,
    filter: (String) -> String
  ) -> String? {
    guard style.outputLines > 0, log.bytes > 0 else { return nil }
    guard let end = logText(log) else {
      return "\(stream): the log cannot be read: \(terminalSafe(joinedPath(runFolder, log.path)))"
    }
    let (lines, hasMore) = lastLines(of: filter(end.text), limit: style.outputLines)
    guard !lines.isEmpty else { return nil }
    let isPart = hasMore || end.bytes < log.bytes
    let heading = isPart ? "\(stream), last \(counted(lines.count, "line")):" : "\(stream):"
    return ([heading] + lines.map { "  " + endOfLine($0) }).joined(separator: "\n")
  }

  /// The end of a line of output, with a mark when something was left out.
  private func endOfLine(_ line: Substring) -> String {
    let kept = tail(of: String(line), bytes: Self.lineLimit * 4).suffix(Self.lineLimit)
    let left = line.utf8.count - kept.utf8.count
    return (left > 0 ? "[\(left) bytes] ..." : "") + terminalSafe(String(kept), as: .lines)
  }

  /// A problem outside of any test, with the last lines of the output that explains it.
  package func problem(_ problem: RunProblem) -> String {
    let isError = problem.severity == .error
    let label = toned(isError ? "ERROR" : "WARNING", isError ? .bad : .odd)
    let message = shortened(problem.message)
    var lines = ["\(label)   \(terminalSafe(problem.code.rawValue)): \(message)"]
    if let output = problem.output {
      lines += lastLines(of: output, limit: style.outputLines).lines.map {
        "    " + endOfLine($0)
      }
    }
    return lines.joined(separator: "\n")
  }
}
