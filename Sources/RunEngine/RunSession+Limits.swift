import Glibc
import RunModel
import Workers

/// What a run finds out about the machine for its limits.
extension RunSession {
  /// The first `gdb` of a search path.
  static func findDebugger(path: String?) -> String? {
    (path ?? "").split(separator: ":").lazy.map { "\($0)/gdb" }
      .first { $0.hasPrefix("/") && access($0, X_OK) == 0 }
  }
}

extension Limiter {
  /// What the run's limits cannot do on this machine; `nil` when they can do everything.
  var problem: RunProblem? {
    guard let record, !record.notes.isEmpty else { return nil }
    return RunProblem(
      severity: .warning, code: .limitsWeakened,
      message: "the limits are held by \(record.mechanism): "
        + record.notes.joined(separator: "; "))
  }
}
