import RunModel

/// The variables that tests get: a short list from the caller, and what Carrel sets.
package struct TestEnvironment: Sendable {
  /// Variables that pass from the caller to the tests when they are set.
  package static let allowed = ["CI", "LOGNAME", "PATH", "SHELL", "USER"]

  /// Variables that are the same for every test everywhere.
  package static let fixed = [
    "LANG": "C.UTF-8", "TZ": "UTC", "NO_COLOR": "1", "CARREL": "1",
  ]

  /// Names of the caller's variables that are passed, sorted.
  package let passed: [String]
  private let base: [String: String]

  /// - Parameters:
  ///   - caller: The caller's environment.
  ///   - additional: Names of more variables to pass; a name may end in `*`.
  package init(caller: [String: String], additional: [String]) {
    let exact = Set(Self.allowed + additional.filter { !$0.hasSuffix("*") })
    let prefixes = additional.filter { $0.hasSuffix("*") }.map { String($0.dropLast()) }
    let taken = caller.filter { entry in
      exact.contains(entry.key) || prefixes.contains { entry.key.hasPrefix($0) }
    }
    passed = taken.keys.sorted()
    base = Self.fixed.merging(taken) { _, passed in passed }
  }

  /// Tells apart what the caller passes: the same for the same variables with the same values.
  package var digest: UInt64 {
    stableHash(
      base.sorted { $0.key < $1.key }.flatMap { Array("\($0.key)=\($0.value)\0".utf8) })
  }

  /// The environment of a batch.
  package func variables(
    container: Container, run: String, worker: Int, workers: Int, batch: Int
  ) -> [String: String] {
    var result = base
    result.merge(container.environment) { _, own in own }
    result["CARREL_RUN_ID"] = run
    result["CARREL_WORKER"] = String(worker)
    result["CARREL_WORKERS"] = String(workers)
    result["CARREL_BATCH"] = String(batch)
    // The format of crash reports is the toolchain's own; `output-to` a folder names one file each.
    result["SWIFT_BACKTRACE"] =
      "enable=yes,format=json,interactive=no,color=no,output-to=\(container.seen.evidence)/"
    return result
  }
}
