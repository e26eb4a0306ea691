package import RunModel

extension ConsoleReport {
  /// What a progress line shows.
  package struct Progress: Sendable {
    /// Tests that have their final verdict.
    package var finished: Int
    /// Planned tests.
    package var total: Int
    /// Tests that did not succeed.
    package var failed: Int
    /// Running tests, with the seconds since their start.
    package var running: [(test: TestID, seconds: Double)]
    /// Seconds since the start of the run.
    package var elapsed: Double

    package init(
      finished: Int, total: Int, failed: Int, running: [(test: TestID, seconds: Double)],
      elapsed: Double
    ) {
      self.finished = finished
      self.total = total
      self.failed = failed
      self.running = running
      self.elapsed = elapsed
    }
  }

  /// One line for a terminal: how far the run is, and what runs for how long, the longest first.
  ///
  /// - Parameter width: Columns that the line may take at most.
  package func progressLine(_ progress: Progress, width: Int) -> String {
    var start = "\(progress.finished)/\(progress.total)"
    let failed = progress.failed > 0 ? "\(progress.failed) not ok" : ""
    if !failed.isEmpty { start += ", \(failed)" }
    start += ", \(spoken(progress.elapsed))"
    guard columnWidth(start) < width else { return startFitting(start, columns: width) }

    let running = progress.running.sorted {
      ($1.seconds, $0.test) < ($0.seconds, $1.test)
    }
    var line = start
    var left = width - columnWidth(start)
    for (index, entry) in running.enumerated() {
      let separator = index == 0 ? " | " : ", "
      let age = " \(spoken(entry.seconds))"
      let more = running.count - index
      let reserve = more > 1 ? " +\(more - 1)".utf8.count : 0
      let space = left - separator.utf8.count - age.utf8.count - reserve
      let name = names.name(of: entry.test)
      let fits = columnWidth(name) <= space
      // Only the first may be cut: one whole name tells more than two halves.
      guard fits || (index == 0 && space >= 8) else {
        let rest = index == 0 ? " | \(more) running" : " +\(more)"
        if columnWidth(rest) <= left { line += rest }
        break
      }
      let part = separator + (fits ? name : endFitting(name, columns: space)) + age
      line += part
      left -= columnWidth(part)
    }
    guard style.isColored, !failed.isEmpty, let range = line.firstRange(of: failed) else {
      return line
    }
    return line[..<range.lowerBound] + toned(failed, .bad) + line[range.upperBound...]
  }
}
