import FoundationEssentials
package import Glibc
package import RunModel
import Synchronization

/// What a process wrote and how it ended.
package struct ProcessOutput: Sendable {
  package var end: ProcessEnd
  package var stdout: [UInt8]
  package var stderr: [UInt8]
  /// Whether the process was killed because its time was over.
  package var didTimeOut: Bool
  /// Whether another process still held an output open some time after the process had ended.
  package var isOutputHeldOpen: Bool
  /// Seconds from start to end.
  package var duration: Double

  package var text: String { String(decoding: stdout, as: UTF8.self) }
  package var errorText: String { String(decoding: stderr, as: UTF8.self) }
  /// Both outputs, one after the other.
  package var allText: String { "\(text)\n\(errorText)" }

  /// The exit status, or 128 and the number of the signal, as a shell says it.
  package var status: Int32 {
    switch end {
    case .exited(let status): status
    case .signaled(let signal): 128 + signal
    case .unknown: -1
    }
  }
}

/// A process that could not be started.
package struct SpawnError: Error, CustomStringConvertible {
  package var executable: String
  package var code: Int32

  package var description: String {
    "cannot start \(executable): \(String(cString: strerror(code)))"
  }
}

/// A child process in a process group of its own, whose two outputs are read while it runs.
package final class ChildProcess: Sendable {
  package let pid: pid_t
  private let finished: AsyncStream<ProcessOutput>

  /// Starts a process.
  ///
  /// - Parameters:
  ///   - arguments: The path of the executable and its arguments; no shell is involved.
  ///   - environment: All variables; `nil` for the caller's.
  ///   - folder: The working directory; `nil` for the caller's.
  ///   - timeout: Seconds after which the process group is killed.
  package init(
    _ arguments: [String], environment: [String: String]? = nil, folder: String? = nil,
    timeout: Double
  ) throws {
    let arguments = folder.map { ["/usr/bin/env", "-C", $0] + arguments } ?? arguments
    let out = try Pipe()
    let error = try Pipe()
    let ended = try Pipe()
    pid = try spawn(arguments, environment: environment, out: out.writer, error: error.writer)
    close(out.writer)
    close(error.writer)

    let pid = pid
    let start = now()
    let (stream, continuation) = AsyncStream.makeStream(of: ProcessOutput.self)
    finished = stream
    let box = Shared(Mutex<Int32>(0))
    let waiter = startThread {
      var status: Int32 = 0
      while waitpid(pid, &status, 0) < 0 && errno == EINTR {}
      box.value.withLock { [status] in $0 = status }
      close(ended.writer)
    }
    pthread_detach(waiter)
    let collector = startThread {
      var collector = Collector(out: out.reader, error: error.reader, ended: ended.reader)
      collector.run(pid: pid, deadline: start + timeout)
      let status = box.value.withLock { $0 }
      continuation.yield(
        ProcessOutput(
          end: processEnd(status), stdout: collector.bytes[0],
          stderr: collector.bytes[1], didTimeOut: collector.didTimeOut,
          isOutputHeldOpen: collector.isOutputHeldOpen, duration: now() - start))
      continuation.finish()
    }
    pthread_detach(collector)
  }

  /// Sends a signal to the process alone.
  package func signal(_ number: Int32) { kill(pid, number) }

  /// Waits for the end. May be called once.
  package func output() async throws -> ProcessOutput {
    for await output in finished { return output }
    throw CancellationError()
  }
}

/// Runs a process to its end.
package func runProcess(
  _ arguments: [String], environment: [String: String]? = nil, folder: String? = nil,
  timeout: Double = 60
) async throws -> ProcessOutput {
  try await ChildProcess(
    arguments, environment: environment, folder: folder, timeout: timeout
  ).output()
}

/// Seconds of the monotonic clock.
package func now() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// Lets threads share a value that cannot be copied.
private final class Shared<Value: ~Copyable & Sendable>: Sendable {
  let value: Value
  init(_ value: consuming sending Value) { self.value = value }
}

/// Reads both outputs until they end, the time is over, or somebody else holds them open.
private struct Collector {
  /// How long an output may stay open after the end of the process, in seconds.
  static let grace = 2.0

  var bytes: [[UInt8]] = [[], []]
  var didTimeOut = false
  var isOutputHeldOpen = false
  private var descriptors: [Int32]

  init(out: Int32, error: Int32, ended: Int32) { descriptors = [out, error, ended] }

  mutating func run(pid: pid_t, deadline: Double) {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    var graceEnd: Double?
    while descriptors.contains(where: { $0 >= 0 }) {
      let end = graceEnd ?? (didTimeOut ? .infinity : deadline)
      let rest = end == .infinity ? -1 : Int32(max(0, (end - now()) * 1000).rounded(.up))
      var polled = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      guard poll(&polled, 3, rest) != 0 else {
        if graceEnd != nil {
          isOutputHeldOpen = true
          break
        }
        didTimeOut = true
        kill(-pid, SIGKILL)
        continue
      }
      for index in 0..<3 where polled[index].revents != 0 {
        let count = read(descriptors[index], &buffer, buffer.count)
        if count > 0 {
          bytes[index].append(contentsOf: buffer[..<count])
        } else if count == 0 || errno != EINTR {
          close(descriptors[index])
          descriptors[index] = -1
          if index == 2 { graceEnd = now() + Self.grace }
        }
      }
    }
    for descriptor in descriptors where descriptor >= 0 { close(descriptor) }
  }
}

private func processEnd(_ status: Int32) -> ProcessEnd {
  let signal = status & 0x7F
  return signal == 0 ? .exited((status >> 8) & 0xFF) : .signaled(signal)
}

private func spawn(
  _ arguments: [String], environment: [String: String]?, out: Int32, error: Int32
) throws -> pid_t {
  var actions = posix_spawn_file_actions_t()
  posix_spawn_file_actions_init(&actions)
  defer { posix_spawn_file_actions_destroy(&actions) }
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
  posix_spawn_file_actions_adddup2(&actions, out, 1)
  posix_spawn_file_actions_adddup2(&actions, error, 2)

  var attributes = posix_spawnattr_t()
  posix_spawnattr_init(&attributes)
  defer { posix_spawnattr_destroy(&attributes) }
  var signals = sigset_t()
  sigemptyset(&signals)
  posix_spawnattr_setsigmask(&attributes, &signals)
  sigfillset(&signals)
  posix_spawnattr_setsigdefault(&attributes, &signals)
  posix_spawnattr_setpgroup(&attributes, 0)
  posix_spawnattr_setflags(
    &attributes,
    Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

  let variables = (environment ?? ProcessInfo.processInfo.environment).map { "\($0)=\($1)" }
  let argv: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
  let envp: [UnsafeMutablePointer<CChar>?] = variables.map { strdup($0) } + [nil]
  defer { for text in argv + envp { free(text) } }
  var pid: pid_t = 0
  let code = posix_spawnp(&pid, arguments[0], &actions, &attributes, argv, envp)
  guard code == 0 else { throw SpawnError(executable: arguments[0], code: code) }
  return pid
}
