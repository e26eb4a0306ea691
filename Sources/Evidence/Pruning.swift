import SystemFiles

/// Which records go, and which stay: follows from what they are like, and touches no file.
package struct Pruning: Sendable {
  /// What is to be kept; at least one is set.
  package struct Policy: Sendable {
    /// Number of the newest runs that stay, from 1.
    package var keep: Int?
    /// Most bytes that all runs together may take.
    package var maxBytes: Int?
    /// Start, in seconds since 1970, before which runs go.
    package var oldest: Double?

    package init(keep: Int? = nil, maxBytes: Int? = nil, oldest: Double? = nil) {
      self.keep = keep
      self.maxBytes = maxBytes
      self.oldest = oldest
    }
  }

  /// A record that the policy wants to go.
  package struct Candidate: Sendable {
    package var overview: RunOverview
    /// Bytes that are freed when it is removed after the candidates before it.
    package var freed: Int
  }

  /// Oldest first.
  package private(set) var removed: [Candidate] = []
  /// Folders that the policy wants to go and that stay, with the reason.
  package private(set) var left: [(record: RunRecord, reason: RunRecord.RemovalObstacle)] = []

  /// The newest run, and the one that `latest` leads to, stay whatever the policy says. What is no
  /// record of a run counts for nothing: it is not one of the newest, and takes no room.
  ///
  /// - Parameters:
  ///   - overviews: Those of all records in a folder, oldest first.
  ///   - latest: The run that `latest` leads to, if any.
  package init(_ overviews: [RunOverview], latest: RunRecord?, policy: Policy) {
    let runs = overviews.filter(\.isRun)
    var usage = CommonDiskUsage(runs.map(\.usage))
    let newest = runs.last?.record
    var age = 1 + runs.count
    for overview in overviews {
      if overview.isRun { age -= 1 }
      let record = overview.record
      let isOver =
        policy.keep.map { age > $0 } ?? false || policy.maxBytes.map { usage.bytes > $0 } ?? false
        || policy.oldest.map { (record.time ?? $0) < $0 } ?? false
      guard isOver, record != newest, record != latest else { continue }
      if let obstacle = overview.obstacle {
        left.append((record, obstacle))
      } else {
        removed.append(Candidate(overview: overview, freed: usage.remove(overview.usage)))
      }
    }
  }
}

extension RunOverview {
  /// Whether it is the record of a run that this version reads.
  fileprivate var isRun: Bool {
    if case .noRecord = obstacle { false } else { true }
  }
}
