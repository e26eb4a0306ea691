import RunModel
import Testing

@testable import CarrelCLI

/// The status of a run that is told by its record.
@Suite struct RunStatusTests {
  private func state(
    _ verdicts: [Verdict], problem: RunProblem.Code? = nil, finish: Int32? = nil
  ) -> RunState {
    let header = RunHeader(
      runID: "a", carrel: "0", packagePath: "/p", arguments: ["run"], workers: 1, batch: "auto",
      retries: 0, timeLimit: nil, leaksFail: false, isolation: "directories", seed: "1",
      toolchain: "t", hostName: "h", passedVariables: [])
    var state = RunState([RunEvent(time: 1, .runStarted(header))])
    if let problem {
      let problem = RunProblem(severity: .error, code: problem, message: "wrong")
      state.apply(RunEvent(time: 1, .problem(problem)))
    }
    for (number, verdict) in verdicts.enumerated() {
      let test = TestID(product: "P", library: .xctest, name: "M.C/test\(number)")
      state.apply(RunEvent(time: 1, .testPlanned(TestDescriptor(id: test))))
      let result = TestResult(test: test, verdict: verdict, attempts: 1)
      state.apply(RunEvent(time: 2, .testFinished(result)))
    }
    if let finish {
      state.apply(RunEvent(time: 3, .runFinished(RunFinish(exitCode: finish, duration: 2))))
    }
    return state
  }

  @Test(arguments: [
    ([Verdict.passed, .failed], ExitCode.testsFailed), ([.passed, .lost], .testsFailed),
    ([.passed, .environment], .environment), ([.environment, .notRun], .testsFailed),
    ([.passed, .leaked], .environment), ([.passed], .environment), ([], .environment),
  ])
  func aRunWithoutItsEndIsNeverASuccess(verdicts: [Verdict], wanted: ExitCode) {
    #expect(state(verdicts).exitCode == wanted)
  }

  @Test func problemsCountAsInARunThatCameToItsEnd() {
    #expect(state([.passed], problem: .listingFailed).exitCode == .listingFailed)
    #expect(state([.failed], problem: .listingFailed).exitCode == .testsFailed)
    #expect(state([.passed], problem: .containerEscaped).exitCode == .environment)
  }

  @Test(arguments: [
    (Int32(0), ExitCode.success), (1, .testsFailed), (5, .listingFailed),
    (130, .interruptedByInterrupt), (99, .environment),
  ])
  func aRunThatCameToItsEndSaysItsStatus(status: Int32, wanted: ExitCode) {
    #expect(state([.passed], finish: status).exitCode == wanted)
  }
}
