import Evidence
import Reporting
import RunEngine
import RunModel

/// The reports of one run: the same bytes whenever they are made from the same record.
struct RunReports {
  let record: RunRecord
  /// What the record's events say.
  let state: RunState

  /// The JUnit report in UTF-8.
  ///
  /// - Parameter inRecord: Whether it will lie in the record's folder, which paths of bundles are
  ///   relative to then.
  func junit(inRecord: Bool) -> [UInt8] {
    let options = JUnitReport.Options(
      runFolder: inRecord ? "" : record.path, companyAdvice: ReproCommand.companyAdvice)
    return JUnitReport.renderUTF8(state, options: options) { LogText.end(of: $0, in: record) }
  }

  /// Prints what `carrel run` prints at its end.
  ///
  /// - Parameter junitPath: The JUnit report, when there is one.
  func printSummary(_ context: CommandContext, junitPath: String?) {
    let printer = RunPrinter(
      context, isQuiet: false, leaksFail: state.header?.leaksFail ?? true,
      packagePath: state.header?.packagePath ?? "",
      archivePath: state.header?.archive?.path, recordPath: record.path)
    printer.setTests(plannedIn: state)
    printer.finish(state, junitPath: junitPath, without: state.obstacle?.message)
  }
}

extension RunState {
  /// The problem that kept the run from its tests, if one did; those of a listing do not.
  var obstacle: RunProblem? {
    guard tests.isEmpty,
      let last = problems.last(where: { $0.severity == .error }),
      last.code != .listingFailed, last.code != .containerEscaped
    else { return nil }
    return last
  }

  /// The status of the run as a whole; one that did not come to its end has that of its tests and
  /// problems, or `environment` when they tell of nothing wrong.
  var exitCode: ExitCode {
    if let finish { return ExitCode(rawValue: finish.exitCode) ?? .environment }
    switch conclusion(leaksFail: header?.leaksFail ?? true) {
    case .nothingRun, .succeeded: return .environment
    case let conclusion: return ExitCode(conclusion)
    }
  }
}
