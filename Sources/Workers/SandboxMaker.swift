import CSystem
import Glibc

/// A process that makes the first processes of sandboxes: a small copy of this one, so that making
/// copies of it does not take long. It ends when this object goes away, or this process.
final class SandboxMaker {
  /// Its PID.
  let pid: Int32
  private let control: Int32

  /// - Throws: ``WorkersError`` with code `system`.
  init() throws(WorkersError) {
    var control: Int32 = -1
    pid = carrel_sandbox_maker(&control)
    guard pid > 0 else {
      throw WorkersError(
        .system, "cannot start the process that makes sandboxes", errorNumber: errno)
    }
    self.control = control
  }

  deinit {
    close(control)
    // It ends by itself then, unless it was stopped.
    kill(pid, SIGKILL)
    var status: Int32 = 0
    while waitpid(pid, &status, 0) < 0 && errno == EINTR {}
  }

  /// The first process of a sandbox, as a child of this one.
  struct Made {
    var pid: Int32
    var pidfd: Int32
    var control: Int32
  }

  /// - Returns: `nil` when the maker has ended or does not answer as it should; then another one is
  ///   needed.
  /// - Throws: ``WorkersError`` with code `sandbox` when the machine does not allow it.
  func make(_ configuration: Sandbox.Configuration) throws(WorkersError) -> Made? {
    let content = configuration.encoded
    let file = carrel_memory_file(content, content.count)
    guard file >= 0 else {
      throw WorkersError(.sandbox, "cannot ask for a sandbox", errorNumber: errno)
    }
    defer { close(file) }
    var request = carrel_sandbox_request(
      content: file, network: configuration.network.value,
      is_for_copying: configuration.isForCopying, private_size: configuration.privateSize ?? 0)
    var made = Made(pid: -1, pidfd: -1, control: -1)
    made.pid = carrel_sandbox_start(control, &request, &made.pidfd, &made.control)
    if made.pid > 0 { return made }
    if errno == EPIPE { return nil }
    throw Sandbox.failure(Int32(carrel_sandbox_namespaces.rawValue), errorNumber: errno)
  }
}

extension SandboxNetwork {
  var value: carrel_network {
    switch self {
    case .host: carrel_network_host
    case .loopback: carrel_network_loopback
    case .none: carrel_network_none
    }
  }
}

extension Sandbox.Configuration {
  /// As `carrel_sandbox_request` of CSystem describes it.
  var encoded: [UInt8] {
    var bytes: [UInt8] = []
    func add(_ text: String) {
      bytes += text.utf8.prefix { $0 != 0 }
      bytes.append(0)
    }
    for bind in binds {
      add((bind.layer != nil ? "o" : bind.isWritable ? "w" : "r") + bind.source)
      add(bind.target)
      if let layer = bind.layer {
        add(layer.upper)
        add(layer.work)
      }
    }
    for path in covers {
      add("c" + path)
      add("")
    }
    return bytes
  }
}
