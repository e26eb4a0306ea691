/// How strongly the processes of a batch are kept apart from everything else.
package enum IsolationLevel: String, Codable, CaseIterable, Sendable, Comparable {
  /// Own folders, a cleaned environment and a session of their own; what is left behind is ended.
  case directories
  /// The same, and limits on what the processes may use.
  case processes
  /// The same in namespaces of their own; see ``Sandbox``.
  case sandbox

  package static func < (lhs: Self, rhs: Self) -> Bool {
    allCases.firstIndex(of: lhs) ?? 0 < allCases.firstIndex(of: rhs) ?? 0
  }
}

/// The level that a run uses, and why it is not a stronger one.
package struct IsolationChoice: Codable, Hashable, Sendable {
  package var level: IsolationLevel
  package var reason: String

  package init(level: IsolationLevel, reason: String) {
    self.level = level
    self.reason = reason
  }
}
