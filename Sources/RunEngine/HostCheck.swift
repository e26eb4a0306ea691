import Glibc
import IntentSystem
import IntentWire
import RunModel
import Workers

/// Asks each app for the simplest of all answers before tests rely on it: when even that does not
/// come, the surroundings are at fault and no test is.
final class HostCheck {
  private let system: IntentSystem
  private let sandbox: Sandbox?
  private let apps: [InstalledApp]
  private var failures: [String: WireError] = [:]
  /// Number of apps that have not answered.
  private var left: Int
  private var isCancelled = false

  init(
    apps: [InstalledApp], configuration: IntentSystem.Configuration, supervisor: Supervisor
  ) throws(WireError) {
    self.apps = apps
    left = apps.count
    sandbox = configuration.sandbox
    system = try IntentSystem(
      configuration, loop: supervisor.loop, registry: supervisor.registry)
  }

  /// - Parameter handler: Is given why apps do not answer, by their bundle identifiers, and whether
  ///   every app was asked.
  func run(then handler: @escaping ([String: WireError], _ isComplete: Bool) -> Void) {
    guard !apps.isEmpty else { return end(handler) }
    for app in apps {
      system.probe(app.bundleIdentifier) { [self] error in
        if var error {
          error.message = "an app does not answer even the simplest call: \(error.message)"
          failures[app.bundleIdentifier] = error
        }
        left -= 1
        if left == 0 { end(handler) }
      }
    }
  }

  func cancel() {
    isCancelled = true
    system.stop {}
  }

  /// Names every app that failed, first those that failed by themselves: what ends by SIGKILL was
  /// killed by somebody, perhaps for the sake of another.
  static func fault(of failures: [WireError]) -> EnvironmentFault? {
    let killed = "\(ProcessEnd.signaled(SIGKILL))"
    let ordered =
      failures.filter { !$0.message.contains(killed) }
      + failures.filter { $0.message.contains(killed) }
    guard let first = ordered.first else { return nil }
    return EnvironmentFault(ordered.map(\.message).joined(separator: "\n"), log: first.log)
  }

  private func end(_ handler: @escaping ([String: WireError], Bool) -> Void) {
    system.stop { [self] in
      let tell = { [self] in handler(failures, !isCancelled) }
      sandbox?.end(tell) ?? tell()
    }
  }
}
