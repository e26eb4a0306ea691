import Evidence
import IntentSystem
import IntentWire
import RunModel
import Workers

/// What the batches of a run that call apps share: the apps, the journal, and what was found out
/// about each worker.
final class IntentRun {
  let apps: [InstalledApp]
  /// What is wrong with executables that have an intent host and are no app.
  let problems: [AppProblem]
  let seed: String
  let options: IntentOptions
  /// The mask of new files of apps; `nil` for that of this process.
  var fileMask: UInt32?
  /// What the apps shall have been compiled with; `nil` without a pin.
  private let expectedCompiler: ExpectedCompiler?
  private let isReleaseBuild: Bool
  private let journal: JournalFile
  /// Told what could not be written.
  var onWriteFailure: ((String) -> Void)?
  private let supervisor: Supervisor
  /// Makes the sandbox of a container; `nil` when processes see what Carrel sees.
  var makeSandbox: ((Container) throws -> Sandbox?)?
  /// Why apps do not answer on the workers that were checked, by bundle identifier.
  private var faults: [Int: [String: WireError]] = [:]
  /// Checks that have not ended.
  private var checks: [Int: HostCheck] = [:]
  private var fixture: Fixture?

  init(
    catalog: TestCatalog, seed: String, options: IntentOptions, record: RunRecord,
    supervisor: Supervisor, isReleaseBuild: Bool
  ) {
    self.isReleaseBuild = isReleaseBuild
    apps = catalog.apps
    problems = catalog.appProblems
    self.seed = seed
    self.options = options
    expectedCompiler = catalog.expectedCompiler
    self.supervisor = supervisor
    journal = JournalFile(path: record.journalPath)
  }

  /// Calls the built-in intent of each app in a container of the worker, once a worker; a second
  /// time when it fails, because a machine may be slow for a moment.
  ///
  /// An app that does not answer is a fault of the tests that call it; see ``faults(ofWorker:)``.
  ///
  /// - Parameters:
  ///   - makeContainer: Makes a container for a check.
  ///   - removeContainer: Takes it away again.
  ///   - handler: Is given why no app can be called on the worker; called at once when that is
  ///     known.
  func check(
    worker: Int, environment: @escaping (Container) -> [String: String], scope: String,
    makeContainer: @escaping () throws -> Container, removeContainer: @escaping (Container) -> Void,
    then handler: @escaping (EnvironmentFault?) -> Void
  ) {
    if let known = faults[worker] { return handler(wholeFault(known)) }
    func attempt(_ number: Int) {
      var sandbox: Sandbox?
      do {
        let container = try makeContainer()
        var configuration = systemConfiguration(
          container: container, environment: environment(container),
          scope: "\(scope)-\(number)", fixtureToken: nil)
        sandbox = try makeSandbox?(container)
        configuration.sandbox = sandbox
        let check = try HostCheck(
          apps: apps, configuration: configuration, supervisor: supervisor)
        checks[worker] = check
        check.run { [unowned self] failures, isComplete in
          checks[worker] = nil
          removeContainer(container)
          // Whoever has cancelled the check ends the batch.
          guard isComplete else { return handler(nil) }
          if number == 1, !failures.isEmpty { return attempt(2) }
          faults[worker] = failures
          handler(wholeFault(failures))
        }
      } catch {
        sandbox?.end {}
        handler(EnvironmentFault("the apps cannot be asked: \(error)"))
      }
    }
    attempt(1)
  }

  /// Why apps do not answer on a worker, by bundle identifier.
  func faults(ofWorker worker: Int) -> [String: WireError] { faults[worker] ?? [:] }

  /// Why no app at all can be called.
  private func wholeFault(_ failures: [String: WireError]) -> EnvironmentFault? {
    if apps.isEmpty { return problems.first.map { EnvironmentFault($0.message) } }
    guard failures.count == apps.count else { return nil }
    return HostCheck.fault(of: failures.sorted { $0.key < $1.key }.map(\.value))
  }

  /// Whether containers are copies of one in which the seed intent was called.
  var copiesSeed: Bool { options.seed?.isShared == true }

  /// Makes the container in which the seed intent is called; that is done once.
  ///
  /// - Parameter handler: Is given the container, or why there is none; at once when that is known.
  func makeFixture(
    root: WorkRoot, indexTemplate: String, environment: (Container) -> [String: String],
    scope: String, then handler: @escaping (Result<ContainerTemplate, EnvironmentFault>) -> Void
  ) {
    guard let call = options.seed, call.isShared else { return }
    let fixture = fixture ?? Fixture(call)
    self.fixture = fixture
    fixture.whenMade(
      by: self, root: root, indexTemplate: indexTemplate, environment: environment,
      scope: scope, supervisor: supervisor, then: handler)
  }

  /// Adds a line to the run's journal.
  ///
  /// - Parameter line: With its newline.
  func write(_ line: [UInt8]) {
    do {
      try journal.append(line)
    } catch {
      onWriteFailure?("\(error)")
    }
  }

  /// Ends the check of a worker early.
  func cancel(worker: Int) { checks[worker]?.cancel() }

  /// Ends the making of the data that all share, because the run ends.
  func cancelFixture() { fixture?.cancel() }

  /// Whether nothing is being made that the batches share.
  var isIdle: Bool { fixture?.isBeingMade != true }

  /// The configuration of an intent system whose files are in a container.
  func systemConfiguration(
    container: Container, environment: [String: String], scope: String, fixtureToken: String?
  ) -> IntentSystem.Configuration {
    var configuration = IntentSystem.Configuration(
      socketPath: container.root + "/intents", indexPath: container.index, apps: apps,
      environment: Self.hostEnvironment(environment), scope: scope,
      runtime: BundleTask.runtime, fixtureToken: fixtureToken)
    configuration.problems = problems
    configuration.limits = .adding(fileMask: fileMask, to: nil)
    configuration.seenSocketPath = container.view + "/intents"
    configuration.directory = container.seen.home
    configuration.expectedCompiler = expectedCompiler
    configuration.callLimit = options.callLimit
    configuration.callLimitAdvice = "'intents.callLimit' in carrel.json is the limit"
    configuration.isReleaseBuild = isReleaseBuild
    configuration.startLimit = options.startLimit
    configuration.indexDelay = options.indexDelay
    return configuration
  }

  /// What an app's process says of its crash goes to its log, not among the reports of the test.
  private static func hostEnvironment(_ environment: [String: String]) -> [String: String] {
    let backtraces =
      "enable=yes,interactive=no,color=no,output-to=stderr,registers=none,images=none"
    return environment.merging(["SWIFT_BACKTRACE": backtraces]) { _, own in own }
  }
}
