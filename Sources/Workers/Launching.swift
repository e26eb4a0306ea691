import CSystem
import Glibc

/// A process that was started, with the reading ends of its pipes.
struct StartedProcess {
  var pid: Int32
  var pidfd: Int32
  var readers: [(ProcessStream, Int32)]
}

/// The pipes between a process and its supervisor, before the process is started.
struct ProcessPipes {
  private(set) var readers: [(ProcessStream, Int32)] = []
  /// The ends of the process, in the order of the streams.
  private(set) var writers: [Int32] = []

  /// - Throws: ``WorkersError`` with code `launch`.
  init(_ streams: [ProcessStream], of executable: String) throws(WorkersError) {
    for stream in streams {
      var ends: [Int32] = [-1, -1]
      guard carrel_pipe(&ends) == 0 else {
        let error = errno
        closeReaders()
        closeWriters()
        throw WorkersError(.launch, "cannot make pipes for \(executable)", errorNumber: error)
      }
      readers.append((stream, ends[0]))
      writers.append(ends[1])
    }
  }

  func closeReaders() { for (_, descriptor) in readers { close(descriptor) } }
  func closeWriters() { for descriptor in writers { close(descriptor) } }
}

extension ProcessRequest {
  /// The environment with the variable that marks the scope, as `NAME=VALUE`, sorted by name.
  var variables: [String] {
    var environment = environment
    environment[SupervisedProcess.scopeVariable] = scope
    return environment.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
  }
}

extension ProcessRequest {
  /// What the first process of a sandbox is told: path, working directory, number of arguments and
  /// of limits, limits, arguments and variables, each ended by a zero byte.
  var sandboxContent: [UInt8] {
    var bytes: [UInt8] = []
    let limits = limits?.lines ?? []
    let counts = ["\(arguments.count + 1)", "\(limits.count)"]
    let words = [executable, directory ?? ""] + counts + limits + [executable] + arguments
    for text in words + variables {
      // As with execve(2), nothing can follow a zero byte.
      bytes += text.utf8.prefix { $0 != 0 }
      bytes.append(0)
    }
    return bytes + [0]
  }

  /// The streams that lead to the supervisor.
  var streams: [ProcessStream] { hasChannel ? [.stdout, .stderr, .channel] : [.stdout, .stderr] }
}

/// What a process gets as its descriptors 0, 1, 2 and so on: nothing to read, and its pipes.
struct StandardStreams {
  private let null: Int32
  private let control: Int32?
  let pipes: ProcessPipes
  /// The ends of the process, in the order of their numbers in it.
  var descriptors: [Int32] { [null] + pipes.writers + (control.map { [$0] } ?? []) }

  /// - Throws: ``WorkersError`` with code `launch`.
  init(of request: ProcessRequest) throws(WorkersError) {
    control = request.hasChannel ? nil : request.control
    pipes = try ProcessPipes(request.streams, of: request.executable)
    null = open("/dev/null", O_RDONLY | O_CLOEXEC)
    guard null >= 0 else {
      let error = errno
      pipes.closeReaders()
      pipes.closeWriters()
      throw WorkersError(.launch, "cannot open /dev/null", errorNumber: error)
    }
  }

  /// Closes the ends of the process, which has copies of its own by then.
  func closeOwnCopies() {
    close(null)
    pipes.closeWriters()
  }
}

/// Makes the pipes and starts the process.
///
/// - Throws: ``WorkersError`` with code `launch`.
func launch(_ request: ProcessRequest) throws(WorkersError) -> StartedProcess {
  let streams = try StandardStreams(of: request)
  defer { streams.closeOwnCopies() }
  let pipes = streams.pipes
  let descriptors = streams.descriptors
  var pidfd: Int32 = -1
  let pid = withCStrings([request.executable] + request.arguments) { argv in
    withCStrings(request.variables) { envp in
      request.executable.withCString { path in
        withOptionalCString(request.directory) { directory in
          descriptors.withUnsafeBufferPointer { descriptors in
            withOptionalCLimits(request.limits) { limits in
              var call = carrel_spawn_request(
                path: path, argv: argv, envp: envp, directory: directory,
                descriptors: descriptors.baseAddress, descriptor_count: descriptors.count,
                new_session: true, limits: limits)
              return carrel_spawn(&call, &pidfd)
            }
          }
        }
      }
    }
  }
  guard pid > 0 else {
    let error = errno
    pipes.closeReaders()
    throw WorkersError(.launch, "cannot start \(request.executable)", errorNumber: error)
  }
  return StartedProcess(pid: pid, pidfd: pidfd, readers: pipes.readers)
}

private func withOptionalCString<Result>(
  _ string: String?, _ body: (UnsafePointer<CChar>?) -> Result
) -> Result {
  guard let string else { return body(nil) }
  return string.withCString { body($0) }
}

/// Calls the body with a null-terminated array of C strings.
private func withCStrings<Result>(
  _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>?) -> Result
) -> Result {
  var pointers: [UnsafeMutablePointer<CChar>?] = strings.map { strdup($0) }
  defer { for pointer in pointers { free(pointer) } }
  pointers.append(nil)
  return pointers.withUnsafeBufferPointer { body($0.baseAddress) }
}
