import RunModel
import Testing

@testable import RunEngine

/// What a run's end says, from the events alone.
@Suite struct RunConclusionTests {
  private func conclusion(
    _ verdicts: [Verdict], problems: [(RunProblem.Severity, RunProblem.Code)] = [],
    leaksFail: Bool = true
  ) -> RunOutcome.Conclusion {
    var state = RunState()
    for (index, verdict) in verdicts.enumerated() {
      let id = TestID(product: "P", library: .xctest, name: "M.C/test\(index)")
      state.apply(RunEvent(time: 0, .testPlanned(TestDescriptor(id: id))))
      state.apply(
        RunEvent(time: 0, .testFinished(TestResult(test: id, verdict: verdict, attempts: 1))))
    }
    for (severity, code) in problems {
      state.apply(
        RunEvent(time: 0, .problem(RunProblem(severity: severity, code: code, message: "m"))))
    }
    return state.conclusion(leaksFail: leaksFail)
  }

  @Test func successNeedsATest() {
    #expect(conclusion([]) == .nothingRun)
    #expect(conclusion([.passed]) == .succeeded)
    #expect(conclusion([.passed], problems: [(.warning, .inheritedTests)]) == .succeeded)
  }

  @Test func leaksCountAsTheyAreToldTo() {
    #expect(conclusion([.passed, .leaked]) == .testsFailed)
    #expect(conclusion([.passed, .leaked], leaksFail: false) == .succeeded)
  }

  @Test func whatSaysMostAboutTheTestsCounts() {
    let listing = (RunProblem.Severity.error, RunProblem.Code.listingFailed)
    let other = (RunProblem.Severity.error, RunProblem.Code.containerEscaped)
    #expect(conclusion([.failed, .environment], problems: [listing, other]) == .testsFailed)
    #expect(conclusion([.passed, .environment], problems: [other, listing]) == .listingFailed)
    #expect(conclusion([.passed], problems: [other]) == .environment)
    #expect(conclusion([.passed, .environment]) == .environment)
    #expect(conclusion([], problems: [listing]) == .listingFailed)
  }
}
