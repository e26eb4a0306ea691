import Glibc
package import RunModel

extension RunRecord {
  /// Files of the record that were written and are not there any more: somebody cleaned the folder
  /// while the run wrote into it.
  ///
  /// - Parameter state: What the events say was written.
  /// - Returns: Paths relative to the run's folder, in the order of the tests.
  package func removedFiles(_ state: RunState) -> [String] {
    var removed: [String] = []
    func check(_ path: String?) {
      guard let path else { return }
      var status = stat()
      if lstat("\(self.path)/\(path)", &status) != 0, errno == ENOENT || errno == ENOTDIR {
        removed.append(path)
      }
    }
    check("events.jsonl")
    check("run.json")
    for test in state.tests {
      for attempt in test.attempts {
        check(attempt.stdout?.path)
        check(attempt.stderr?.path)
        check(test.bundles[attempt.attempt]?.path)
      }
    }
    return removed
  }
}
