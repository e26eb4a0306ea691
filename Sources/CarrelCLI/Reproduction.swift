import Evidence
import FoundationEssentials
import RunEngine
import RunModel
import Workers

/// Runs the test of a bundle again, once or several times, and says what came of it.
struct Reproduction {
  private let failure: OriginalFailure
  private let plan: ReproductionPlan
  private let context: CommandContext
  /// Where the run itself is told: beside the result when that is for programs.
  private let console: CommandContext
  private let isJSON: Bool
  /// `nil` for once, without a count.
  private let times: Int?

  init(
    _ failure: OriginalFailure, _ arguments: ParsedArguments, _ context: CommandContext
  ) throws {
    isJSON = try arguments.choice("--format", of: ["text", "json"]) == "json"
    times = try arguments.integer("--until-different", in: ReproCommand.repetitions)
    self.failure = failure
    self.context = context
    plan = try ReproductionPlan(failure, arguments, context)
    var console = context
    if isJSON { console.output = context.errors }
    self.console = console
  }

  func perform() throws -> ExitCode {
    var result = ReproductionResult(failure, asked: times)
    var differing: ReproductionResult.Attempt?
    for number in 1...(times ?? 1) {
      let run = TestRun(
        console, number == 1 ? plan.request : plan.again,
        kind: number == 1 ? .reproduction : .repetition)
      let observer = CommandObserver()
      run.onProcess = { _, request, container in observer.take(request, container) }
      let code = try run.perform()
      if number == 1 {
        result.differences = differences(run, observer)
        tellSurroundings(run, result)
      }
      guard let attempt = attempt(of: run), run.outcome?.session.interruption == nil,
        code != .notWritten
      else { return try end(result, without: run, code) }
      let before = number > 2 ? result.attempts.last?.record : nil
      let isSame = result.add(attempt, of: run, number: number)
      remove(before)
      if times != nil { console.output.print(result.line(number)) }
      guard isSame else {
        differing = result.attempts.last
        break
      }
      run.outcome?.session.releaseSignals()
    }
    return try end(result, differing)
  }

  /// The attempt at the test that a run made.
  private func attempt(of run: TestRun) -> AttemptResult? {
    guard let outcome = run.outcome, outcome.didRun else { return nil }
    return outcome.session.state.test(failure.manifest.test)?.attempts.last
  }

  private func differences(
    _ run: TestRun, _ observer: CommandObserver
  ) -> [ReproductionFact] {
    guard let outcome = run.outcome, outcome.didRun else { return [] }
    let now = Surroundings(
      outcome.session, plan, start: run.lastStart, command: observer.command)
    return Surroundings(failure).differences(in: now)
  }

  private func tellSurroundings(_ run: TestRun, _ result: ReproductionResult) {
    if run.foundBuild {
      console.output.print("  build:  what failed is still there; nothing was built")
    }
    for line in plan.restoration.notes { console.complain(line) }
    guard run.outcome?.didRun == true else { return }
    for line in ReproductionFact.lines(result.differences) { console.output.print(line) }
  }

  /// Removes the record of a repetition that ended like the others before it.
  private func remove(_ path: String?) {
    guard let path else { return }
    try? RunRecord(path: path).overview().remove()
  }

  // MARK: ends

  /// Ends without a verdict.
  private func end(
    _ result: ReproductionResult, without run: TestRun, _ code: ExitCode
  ) throws -> ExitCode {
    if code == .nothingMatched {
      context.errors.print(
        "carrel: the bundle is about \(failure.name) of the package "
          + "'\(ByteName(failure.manifest.package).displayName)'; name that package: carrel repro "
          + "BUNDLE PACKAGE")
    }
    if !result.attempts.isEmpty {
      console.output.print("the failure came \(result.matches) of \(result.matches) times by then")
    }
    let hasAttempt = attempt(of: run) != nil || run.outcome?.session.interruption != nil
    let code: ExitCode =
      !hasAttempt && (code == .nothingMatched || code == .success) ? .cannotReproduce : code
    try printJSON(result, code)
    return code
  }

  private func end(
    _ result: ReproductionResult, _ differing: ReproductionResult.Attempt?
  ) throws -> ExitCode {
    let code: ExitCode =
      switch differing?.result {
      case nil, .reproduced: .success
      case .passed: .notReproduced
      case .failedDifferently: .failedDifferently
      }
    for line in result.conclusion(hasPredecessors: plan.hasPredecessors) {
      console.output.print(line)
    }
    try printJSON(result, code)
    return code
  }

  private func printJSON(_ result: ReproductionResult, _ code: ExitCode) throws {
    guard isJSON else { return }
    _ = console.output.flush()
    var result = result
    result.exitCode = code.rawValue
    context.output.print(
      String(decoding: try encodedJSON(result, pretty: true), as: UTF8.self))
  }
}

/// Keeps the command of the process that a run starts.
final class CommandObserver {
  private(set) var command: RecordedCommand?

  func take(_ request: ProcessRequest, _ container: Container) -> ProcessRequest? {
    command = RecordedCommand(request, container: container)
    return nil
  }
}
