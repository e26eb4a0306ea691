import Evidence
import FoundationEssentials
import RunEngine
import RunModel
import SwiftTests
import Workers

/// Runs the test of a bundle again, once or several times, and says what came of it.
struct Reproduction {
  private let failure: OriginalFailure
  private let plan: ReproductionPlan
  private let arguments: ParsedArguments
  private let context: CommandContext
  /// Where the run itself is told: beside the result when that is for programs.
  private let console: CommandContext
  private let isJSON: Bool
  /// `nil` for once, without a count.
  private let times: Int?

  /// - Parameters:
  ///   - inCompany: Whether the tests that ran before it run first, with what is built.
  ///   - told: Warnings that were printed already.
  init(
    _ failure: OriginalFailure, _ arguments: ParsedArguments, _ context: CommandContext,
    inCompany: Bool = false, told: [String] = []
  ) throws {
    isJSON = try arguments.choice("--format", of: ["text", "json"]) == "json"
    times = try arguments.integer("--until-different", in: ReproCommand.repetitions)
    self.failure = failure
    self.arguments = arguments
    self.context = context
    plan = try ReproductionPlan(failure, arguments, context, inCompany: inCompany)
    for warning in plan.warnings where !told.contains(warning) { context.complain(warning) }
    var console = context
    if isJSON { console.output = context.errors }
    self.console = console
  }

  /// Runs the test alone; when that does not fail in the same way, once more after the tests that
  /// ran before it.
  func perform() throws -> ExitCode {
    var (code, result) = try run()
    if needsCompany(after: result), code == .notReproduced || code == .failedDifferently {
      console.output.print(
        "once more, after the tests that ran before it in the same process "
          + "(\(failure.manifest.predecessors.count)):")
      let company = try Reproduction(
        failure, arguments, context, inCompany: true, told: plan.warnings)
      let (again, second) = try company.run()
      // Those tests may be gone.
      if again != .cannotReproduce { (code, result) = (again, second) }
    }
    try printJSON(result, code)
    return code
  }

  /// Whether there were tests before it, and nobody says what it shall start with.
  private var mayNeedCompany: Bool {
    let isChosen = ["--alone", "--container", "--with-predecessors"].contains(where: arguments.has)
    return !failure.manifest.predecessors.isEmpty && !isChosen && !plan.hasPredecessors
  }

  /// Whether it may fail only after others: not when it has failed alone before.
  private func needsCompany(after result: ReproductionResult) -> Bool {
    mayNeedCompany && result.matches == 0
  }

  private func run() throws -> (ExitCode, ReproductionResult) {
    var result = ReproductionResult(
      failure, failure.signature(plan.comparable), asked: times)
    var differing: ReproductionResult.Attempt?
    let package = plan.request.package.location.package
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
      let isSame = result.add(
        plan.comparable(attempt), of: run, package: package, number: number)
      remove(before)
      if times != nil { console.output.print(result.line(number)) }
      run.outcome?.session.releaseSignals()
      guard isSame else {
        differing = result.attempts.last
        break
      }
    }
    return end(result, differing)
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
  ) throws -> (ExitCode, ReproductionResult) {
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
    return (code, result)
  }

  private func end(
    _ result: ReproductionResult, _ differing: ReproductionResult.Attempt?
  ) -> (ExitCode, ReproductionResult) {
    let code: ExitCode =
      switch differing?.result {
      case nil, .reproduced: .success
      case .passed: .notReproduced
      case .failedDifferently: .failedDifferently
      }
    let runsOnceMore = needsCompany(after: result)
    let conclusion = result.conclusion(
      hasPredecessors: plan.hasPredecessors || runsOnceMore,
      laterTests: plan.restores && !runsOnceMore ? failure.laterTests : 0)
    for line in conclusion { console.output.print(line) }
    return (code, result)
  }

  private func printJSON(_ result: ReproductionResult, _ code: ExitCode) throws {
    guard isJSON else { return }
    _ = console.output.flush()
    var result = result
    result.exitCode = code.rawValue
    try context.printJSON(result)
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
