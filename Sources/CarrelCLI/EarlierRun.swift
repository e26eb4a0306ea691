import Evidence
import RunModel

/// The run that a command is to look at.
struct EarlierRun {
  let record: RunRecord
  let state: RunState
  /// A sentence about what of its event log cannot be read, if anything.
  let damage: String?
  /// The newest run, in whose place this one is taken because that one planned no tests.
  private(set) var passedOver: (record: RunRecord, state: RunState)?

  /// Finds a run by what a person typed.
  ///
  /// `latest` is the newest run that planned tests, as far as there is one: a mistyped filter or a
  /// build that failed is not what somebody wants to see or run again.
  static func find(_ reference: String, inRunsFolder runsFolder: String) throws -> EarlierRun {
    let record = try RunRecord.find(reference, inRunsFolder: runsFolder)
    let (events, damage) = try record.checkedEvents()
    var state = RunState(events)
    state.goesOn = record.isBeingWritten
    let newest = EarlierRun(record: record, state: state, damage: damage)
    guard reference == "latest", newest.state.tests.isEmpty else { return newest }
    for older in try RunRecord.list(inRunsFolder: runsFolder).reversed() {
      guard let (events, damage) = try? older.checkedEvents() else { continue }
      var state = RunState(events)
      state.goesOn = older.isBeingWritten
      guard !state.tests.isEmpty, state.header?.arguments.first != "repro" else { continue }
      return EarlierRun(
        record: older, state: state, damage: damage, passedOver: (record, newest.state))
    }
    return newest
  }

  /// Says that another run than the newest is taken, and why.
  var warning: String? {
    passedOver.map {
      "warning: run \($0.record.runID) planned no tests\(Self.reason($0.state)); "
        + "run \(record.runID) is taken"
    }
  }

  /// Why nothing can be run again, when no test failed.
  var nothingToRun: String {
    let name = "run \(record.runID)"
    if state.tests.isEmpty {
      return "\(name) planned no tests\(Self.reason(state)); there is nothing to run again"
    }
    let end = statusWithoutFailures == .success || passedOver != nil ? "" : Self.reason(state)
    return "every test of \(name) succeeded (\(state.tests.count))\(end); "
      + "there is nothing to run again"
  }

  /// The exit status when no test failed: never success for a newest run that was none.
  var statusWithoutFailures: ExitCode {
    let newest = passedOver?.state ?? state
    let code = newest.exitCode
    return code == .success && newest.tests.isEmpty ? .nothingMatched : code
  }

  /// How a run ended that was no success, in brackets.
  private static func reason(_ state: RunState) -> String {
    guard let finish = state.finish else { return " (it did not come to its end)" }
    guard finish.exitCode != 0, let code = ExitCode(rawValue: finish.exitCode) else { return "" }
    return " (\(code.meaning))"
  }
}
