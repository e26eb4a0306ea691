import Glibc
import RunModel

/// A shell script that runs in a sandbox of its own, to find out what is so there. It has to be
/// kept until its result was told.
package final class SandboxScript {
  private let sandbox: Sandbox
  private let loop: EventLoop
  private let handler: (Result<String, WorkersError>) -> Void
  private var process: SupervisedProcess?
  private var output: [UInt8] = []
  private var timer: EventLoop.Timer?

  /// Seconds that a script may take.
  private static let limit = 10.0

  /// Starts the script.
  ///
  /// - Parameter handler: Given what the script wrote to standard output, when nothing of it is
  ///   left; or why there is no sandbox, or that the script did not end with status 0 in 10
  ///   seconds.
  /// - Throws: ``WorkersError`` with code `sandbox` when the machine does not allow one.
  package init(
    _ script: String, in configuration: Sandbox.Configuration, environment: [String: String] = [:],
    using supervision: Sandbox.Supervision,
    then handler: @escaping (Result<String, WorkersError>) -> Void
  ) throws(WorkersError) {
    loop = supervision.loop
    self.handler = handler
    sandbox = try Sandbox(configuration, loop: loop, registry: supervision.registry)
    do throws(WorkersError) {
      process = try SupervisedProcess(
        ProcessRequest(
          executable: "/bin/sh", arguments: ["-c", script], environment: environment,
          scope: "check-\(getpid())"),
        in: sandbox, loop: loop, registry: supervision.registry,
        onOutput: { [unowned self] stream, bytes in if stream == .stdout { output += bytes } },
        onEnd: { [unowned self] end, _ in conclude(end) })
      timer = loop.after(Self.limit) { [unowned self] in cancel() }
    } catch {
      finish(.failure(error))
    }
  }

  /// Ends the script early; the handler is told that it did not end by itself.
  package func cancel() { sandbox.end {} }

  private func conclude(_ end: ProcessEnd) {
    let text = String(decoding: output, as: UTF8.self)
    if let failure = process?.launchFailure { return finish(.failure(failure)) }
    guard end == .exited(0) else {
      return finish(
        .failure(
          WorkersError(
            .sandbox, "a script in a sandbox ended with \(end)", context: ["output": text])))
    }
    finish(.success(text))
  }

  private func finish(_ result: Result<String, WorkersError>) {
    loop.cancel(timer)
    sandbox.end { [handler] in handler(result) }
  }
}

extension Sandbox {
  /// The loop by which processes are watched, and the registry that makes their sandboxes.
  package typealias Supervision = (loop: EventLoop, registry: ProcessRegistry)

  /// A loop and a registry for somebody who has none.
  ///
  /// - Throws: ``WorkersError`` with code `system`.
  package static func ownSupervision() throws(WorkersError) -> Supervision {
    (try EventLoop(), try ProcessRegistry(ownsAllChildren: false, adoptsOrphans: false))
  }

  /// Finds out whether sandboxes can be made and processes started in them, with a real one.
  ///
  /// - Returns: What is wrong; `nil` when they work.
  package static func problem(
    _ configuration: Configuration = Configuration()
  ) -> WorkersError? {
    do throws(WorkersError) {
      _ = try output(of: ":", configuration)
      return nil
    } catch {
      return error
    }
  }

  /// Runs a shell script in a sandbox of its own, and the loop meanwhile.
  ///
  /// - Parameters:
  ///   - supervision: That of the run, which must not be running its loop already; `nil` where
  ///     there is no run.
  ///   - isOver: Whether nobody wants to know the result any more; looked at whenever the loop has
  ///     done something, so that a signal ends the wait.
  /// - Returns: What it wrote.
  /// - Throws: ``WorkersError`` when the sandbox cannot be made, or the script does not end with
  ///   status 0 in time.
  package static func output(
    of script: String, _ configuration: Configuration, environment: [String: String] = [:],
    using supervision: Supervision? = nil, until isOver: () -> Bool = { false }
  ) throws(WorkersError) -> String {
    let used: Supervision
    if let supervision { used = supervision } else { used = try ownSupervision() }
    var result: Result<String, WorkersError>?
    let running = try SandboxScript(
      script, in: configuration, environment: environment, using: used
    ) { result = $0 }
    used.loop.run { result != nil || isOver() }
    if result == nil {
      running.cancel()
      used.loop.run { result != nil }
    }
    return try withExtendedLifetime(running) { () throws(WorkersError) in
      guard let result else { throw WorkersError(.sandbox, "the script was not waited for") }
      return try result.get()
    }
  }
}
