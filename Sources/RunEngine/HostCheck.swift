import IntentSystem
import IntentWire
import Workers

/// Asks each app for the simplest of all answers before tests rely on it: when even that does not
/// come, the surroundings are at fault and no test is.
final class HostCheck {
  private let system: IntentSystem
  private let apps: [InstalledApp]
  private let problems: [String]
  private var answers: [String: WireError?] = [:]
  private var isCancelled = false

  /// - Parameter problems: What is wrong with executables that did not get to be apps.
  init(
    apps: [InstalledApp], problems: [String], configuration: IntentSystem.Configuration,
    supervisor: Supervisor
  ) throws(WireError) {
    self.apps = apps
    self.problems = problems
    system = try IntentSystem(
      configuration, loop: supervisor.loop, registry: supervisor.registry)
  }

  /// - Parameter handler: Is given what is wrong, and whether every app was asked.
  func run(then handler: @escaping (EnvironmentFault?, _ isComplete: Bool) -> Void) {
    guard !apps.isEmpty else { return end(handler) }
    for app in apps {
      system.probe(app.bundleIdentifier) { [self] error in
        answers[app.bundleIdentifier] = .some(error)
        if answers.count == apps.count { end(handler) }
      }
    }
  }

  func cancel() {
    isCancelled = true
    system.stop {}
  }

  private func end(_ handler: @escaping (EnvironmentFault?, Bool) -> Void) {
    let failed = apps.compactMap { app in answers[app.bundleIdentifier].flatMap { $0 } }
    var fault = failed.first.map {
      EnvironmentFault(
        message: "an app does not answer even the simplest call: \($0.message)", log: $0.log)
    }
    if fault == nil, let problem = problems.first { fault = EnvironmentFault(message: problem) }
    system.stop { [self] in handler(fault, !isCancelled) }
  }
}
