import Evidence
import RunModel

/// What became of runs that were to be removed.
struct PrunedRuns: Encodable {
  struct Run: Encodable {
    var id: String
    /// Bytes of the file system that it gave back.
    var bytes: Int
  }

  struct Left: Encodable {
    var id: String
    var reason: String
  }

  let format = RunPage.format
  let isDry: Bool
  var removed: [Run] = []
  var left: [Left] = []
  private(set) var hasFailed = false

  private enum CodingKeys: String, CodingKey { case format, isDry = "dryRun", removed, left }

  init(isDry: Bool) { self.isDry = isDry }

  mutating func leave(
    _ record: RunRecord, _ obstacle: RunRecord.RemovalObstacle, _ context: CommandContext
  ) {
    let reason: String
    switch obstacle {
    case .isBeingWritten: reason = "it is being written"
    case .noRecord(let clause): reason = "\(clause); remove it yourself if nobody needs it"
    case .failed(let message):
      reason = message
      hasFailed = true
    }
    left.append(Left(id: record.runID, reason: reason))
    context.complain("'\(ByteName(record.path).displayName)' stays: \(reason)")
  }

  /// A line for each run, and one for all.
  var lines: [String] {
    let verb = isDry ? "would remove" : "removed"
    let total = ByteSize.rounded(removed.reduce(0) { $0 + $1.bytes })
    return removed.map { "\(verb) \($0.id)  \(ByteSize.rounded($0.bytes))" } + [
      removed.isEmpty
        ? "nothing to remove"
        : "\(verb) \(removed.count) \(removed.count == 1 ? "run" : "runs"), \(total) "
          + (isDry ? "would be free" : "are free now")
    ]
  }
}
