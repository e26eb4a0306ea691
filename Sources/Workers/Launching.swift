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
  /// What a process reads that is to become this one (`start.h` of the C module): the working
  /// directory, the number of limits, the number of arguments, the limits, the arguments and the
  /// variables, each ended by a zero byte. The first argument is the path of the executable.
  var encoded: [UInt8] {
    let limits = (limits?.lines ?? []) + (takesTerminal ? ["terminal"] : [])
    let arguments = [executable] + arguments
    let counts = ["\(limits.count)", "\(arguments.count)"]
    var bytes: [UInt8] = []
    for text in [directory ?? ""] + counts + limits + arguments + variables {
      // As with execve(2), nothing can follow a zero byte.
      bytes += text.utf8.prefix { $0 != 0 }
      bytes.append(0)
    }
    return bytes
  }

  /// The environment with the variable that marks the scope, as `NAME=VALUE`, sorted by name.
  private var variables: [String] {
    var environment = environment
    environment[SupervisedProcess.scopeVariable] = scope
    return environment.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
  }

  /// The streams that lead to the supervisor.
  var streams: [ProcessStream] {
    guard inherited.isEmpty else { return [] }
    return hasChannel ? [.stdout, .stderr, .channel] : [.stdout, .stderr]
  }
}

/// What a process gets as its descriptors 0, 1, 2 and so on: nothing to read, and its pipes, unless
/// it inherits others.
struct StandardStreams {
  private let null: Int32
  private let control: Int32?
  private let inherited: [Int32]
  let pipes: ProcessPipes
  /// The ends of the process, in the order of their numbers in it.
  var descriptors: [Int32] {
    inherited.isEmpty ? [null] + pipes.writers + (control.map { [$0] } ?? []) : inherited
  }

  /// - Throws: ``WorkersError`` with code `launch`.
  init(of request: ProcessRequest) throws(WorkersError) {
    control = request.hasChannel ? nil : request.control
    inherited = request.inherited
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
  let content = request.encoded
  let groups = request.limits?.groups ?? []
  var pidfd: Int32 = -1
  let pid = content.withUnsafeBytes { content in
    streams.descriptors.withUnsafeBufferPointer { descriptors in
      groups.withUnsafeBufferPointer { groups in
        var call = carrel_spawn_request(
          content: content.bindMemory(to: CChar.self).baseAddress, content_size: content.count,
          descriptors: descriptors.baseAddress, descriptor_count: descriptors.count,
          groups: groups.baseAddress, group_count: groups.count)
        return carrel_spawn(&call, &pidfd)
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
