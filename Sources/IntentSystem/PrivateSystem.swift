import FoundationEssentials
import Glibc
package import IntentWire
import RunModel
import SearchIndex
import Synchronization
import SystemFiles
import Workers

/// The intent system of a test process that no orchestrator has started: on a thread of its own,
/// with a container that goes away with the process.
///
/// The apps are the executables with an intent host in the folder of the test's own executable.
package final class PrivateSystem: Sendable {
  package let socketPath: String

  /// - Throws: ``WireError`` when the container or the socket cannot be made.
  package init() throws(WireError) {
    let result = Mutex<Result<String, WireError>?>(nil)
    let ready = Semaphore()
    let isStarted = detachThread {
      Self.serve { outcome in
        result.withLock { $0 = outcome }
        ready.signal()
      }
    }
    if isStarted { ready.wait() }
    let outcome = result.withLock { $0 }
    socketPath = try (outcome ?? .failure(WireError(.internalError, "there is no thread"))).get()
  }

  /// Runs the system for as long as the process lives.
  private static func serve(_ onStart: @escaping (Result<String, WireError>) -> Void) {
    do {
      let loop = try EventLoop()
      let registry = try ProcessRegistry(ownsAllChildren: false, adoptsOrphans: false)
      let callersEnvironment = ProcessInfo.processInfo.environment
      let root = try WorkRoot(base: callersEnvironment["CARREL_WORK_DIR"])
      let template = root.path + "/index.sqlite"
      try SearchIndex.createEmpty(at: template)
      let container = try root.prepare(worker: 1, indexTemplate: template)
      let scope = "private-\(getpid())-" + String(UInt64.random(in: .min ... .max), radix: 16)
      // Ends what apps have started when the test process is killed.
      let watchdog = try? Watchdog(registry: registry)
      watchdog?.cover(scope)
      var environment = container.environment
      for name in ["PATH", "LANG", "TZ", "LD_LIBRARY_PATH"] {
        environment[name] = callersEnvironment[name]
      }
      let found = AppFinder(folder: folderOfExecutable()).describe(
        environment: environment, scope: scope, loop: loop, registry: registry)
      var configuration = IntentSystem.Configuration(
        socketPath: root.path + "/intents", indexPath: container.index, apps: found.apps,
        environment: environment, scope: scope, runtime: "private system of process \(getpid())",
        fixtureToken: nil)
      configuration.problems = found.problems
      configuration.isReleaseBuild = lastComponent(of: folderOfExecutable()) == "release"
      let delay = callersEnvironment["CARREL_INDEX_DELAY"].flatMap { Double($0) }
      if let delay, delay >= 0 {
        configuration.indexDelay = delay
      }
      configuration.onStrayEnd = { error in
        let log = error.log.map { "\n" + condensingBacktraces(in: $0) } ?? ""
        try? writeAll(Array("\(error.message)\(log)\n".utf8), to: STDERR_FILENO)
      }
      let system = try IntentSystem(configuration, loop: loop, registry: registry)
      try PrivateSystemEnd.arrange(system, loop: loop, root: root.path, scope: scope)
      onStart(.success(configuration.socketPath))
      loop.run { false }
      withExtendedLifetime((system, watchdog, root)) {}
    } catch let error as WireError {
      onStart(.failure(error))
    } catch {
      onStart(.failure(WireError(.internalError, "the intent system cannot be started: \(error)")))
    }
  }

  private static func folderOfExecutable() -> String {
    folder(of: resolvedPath("/proc/self/exe") ?? ".")
  }
}

/// A semaphore of POSIX (sem_overview(7)).
final class Semaphore: @unchecked Sendable {
  // Only used through the system's calls, which any thread may make.
  private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

  init() { sem_init(semaphore, 0, 0) }

  deinit {
    sem_destroy(semaphore)
    semaphore.deallocate()
  }

  func signal() { sem_post(semaphore) }
  func wait() { while sem_wait(semaphore) != 0 && errno == EINTR {} }

  /// Waits for some time.
  ///
  /// - Returns: Whether somebody has signaled.
  func wait(seconds: Int) -> Bool {
    var end = timespec()
    clock_gettime(CLOCK_REALTIME, &end)
    end.tv_sec += seconds
    while sem_timedwait(semaphore, &end) != 0 {
      if errno != EINTR { return false }
    }
    return true
  }
}
