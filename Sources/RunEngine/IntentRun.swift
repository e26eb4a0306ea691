import Evidence
import IntentSystem
package import IntentWire
import RunModel
import Workers

/// What the batches of a run that call apps share: the apps, the journal, and what was found out
/// about each worker.
final class IntentRun {
  let apps: [InstalledApp]
  /// What is wrong with executables that have an intent host and are no app.
  let problems: [String]
  let seed: String
  let options: IntentOptions
  let journal: JournalFile
  private let supervisor: Supervisor
  /// What a worker's apps answered to the first call; `nil` for all is well.
  private var findings: [Int: EnvironmentFault?] = [:]
  /// Checks that have not ended.
  private var checks: [Int: HostCheck] = [:]
  private var fixture: Fixture?

  init(
    catalog: TestCatalog, seed: String, options: IntentOptions, record: RunRecord,
    supervisor: Supervisor
  ) {
    apps = catalog.apps
    problems = catalog.appProblems
    self.seed = seed
    self.options = options
    self.supervisor = supervisor
    journal = JournalFile(path: record.journalPath)
  }

  /// Calls the built-in intent of each app in a container of the worker, once a worker.
  ///
  /// - Parameters:
  ///   - makeContainer: Prepares the container; called at most once.
  ///   - handler: Is given what is wrong with the worker; called at once when that is known.
  func check(
    worker: Int, environment: [String: String], scope: String, container: Container,
    then handler: @escaping (EnvironmentFault?) -> Void
  ) {
    if let known = findings[worker] { return handler(known) }
    do throws(WireError) {
      let check = try HostCheck(
        apps: apps, problems: problems,
        configuration: systemConfiguration(
          container: container, environment: environment, scope: scope, fixtureToken: nil),
        supervisor: supervisor)
      checks[worker] = check
      check.run { [unowned self] fault, isComplete in
        checks[worker] = nil
        if isComplete { findings[worker] = .some(fault) }
        handler(fault)
      }
    } catch {
      handler(EnvironmentFault(message: error.message, log: nil))
    }
  }

  /// Fills a worker's container with what the seed intent makes; does nothing without one. The
  /// intent is called once, for the first that asks.
  ///
  /// - Parameter handler: Is given why it cannot be done.
  func seed(
    worker: Int, root: WorkRoot, indexTemplate: String,
    environment: @escaping (Container) -> [String: String], scope: String,
    then handler: @escaping (EnvironmentFault?) -> Void
  ) {
    guard let call = options.seed, call.isShared else { return handler(nil) }
    let fixture = fixture ?? Fixture(call)
    self.fixture = fixture
    fixture.whenMade(
      by: self, root: root, indexTemplate: indexTemplate, environment: environment,
      scope: scope, supervisor: supervisor
    ) { result in
      do {
        try root.fill(worker: worker, from: try result.get())
        handler(nil)
      } catch let fault as EnvironmentFault {
        handler(fault)
      } catch {
        handler(EnvironmentFault(message: "the container cannot be filled: \(error)", log: nil))
      }
    }
  }

  /// Whether the worker's apps still have to be asked.
  func needsCheck(worker: Int) -> Bool { findings[worker] == nil }

  /// Ends the check of a worker early, and the making of the data for all.
  func cancel(worker: Int) {
    checks[worker]?.cancel()
    fixture?.cancel()
  }

  /// The configuration of an intent system whose files are in a container.
  func systemConfiguration(
    container: Container, environment: [String: String], scope: String, fixtureToken: String?
  ) -> IntentSystem.Configuration {
    var configuration = IntentSystem.Configuration(
      socketPath: container.root + "/intents", indexPath: container.index, apps: apps,
      environment: Self.hostEnvironment(environment), scope: scope,
      runtime: BundleTask.runtime, fixtureToken: fixtureToken)
    configuration.problems = problems
    configuration.directory = container.home
    configuration.callLimit = options.callLimit
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

/// How apps are called.
package struct IntentOptions: Sendable, Hashable {
  /// Seconds that an app has for one call.
  package var callLimit = 30.0
  /// Seconds from an app's update of the index to the time it can be found.
  package var indexDelay = 0.0
  /// The intent that makes the data that every attempt starts with.
  package var seed: SeedCall?

  package init() {}
}

/// A call of an intent that makes data for tests.
package struct SeedCall: Sendable, Hashable {
  package var bundleIdentifier: String
  package var intent: String
  /// Values by the names of the parameters.
  package var parameters: [String: IntentValue]
  /// Whether the container and index that the call leaves are copied for each attempt; `false`
  /// calls the intent before each attempt.
  package var isShared: Bool

  package init(
    bundleIdentifier: String, intent: String, parameters: [String: IntentValue] = [:],
    isShared: Bool = true
  ) {
    self.bundleIdentifier = bundleIdentifier
    self.intent = intent
    self.parameters = parameters
    self.isShared = isShared
  }
}

/// Why no test can be blamed for what a worker's apps do.
struct EnvironmentFault: Error, CustomStringConvertible {
  var message: String
  /// The end of what the app's process wrote.
  var log: String?

  var description: String { message + (log.map { "\nthe app wrote:\n\($0)" } ?? "") }
}
