import Evidence
import Glibc
import RunModel
import SearchIndex
import SwiftTests
import SystemFiles
import Workers

/// Looks at what Carrel needs of a machine.
package struct MachineCheck {
  /// What was found.
  package struct Finding: Codable, Hashable, Sendable {
    package enum Status: String, Codable, Sendable {
      case ok, warning, failure
    }

    /// One word or two: `toolchain`.
    package var name: String
    package var status: Status
    /// What is so, as a sentence without a full stop.
    package var message: String
    /// What to do about it; `nil` when it is as it should be.
    package var fix: String?

    package init(name: String, status: Status, message: String, fix: String? = nil) {
      self.name = name
      self.status = status
      self.message = message
      self.fix = fix
    }
  }

  /// Bytes of free space below which containers and records may not fit.
  private static let leastSpace: UInt64 = 1 << 30
  /// Descriptors that a run with many workers needs.
  private static let leastDescriptors: UInt64 = 1024

  private let environment: [String: String]
  private let package: String
  private let workFolder: String?

  /// - Parameters:
  ///   - environment: The caller's environment.
  ///   - package: Absolute path of the package, or of the folder that would be one.
  ///   - workFolder: As in ``WorkRoot/init(base:)``.
  package init(environment: [String: String], package: String, workFolder: String?) {
    self.environment = environment
    self.package = package
    self.workFolder = workFolder
  }

  /// Looks at everything, in an order in which what is missing first explains the rest.
  package func findings() -> [Finding] {
    var findings = [toolchain(), cache()]
    findings += containers()
    findings += [descriptors(), limits(), debugger()]
    findings.append(space(at: package, name: "disk of the package", what: "run records"))
    return findings
  }

  private func toolchain() -> Finding {
    let name = "toolchain"
    do {
      let supervisor = try Supervisor(ownsAllChildren: false)
      let choice = try ToolchainChoice.choose(
        ToolchainRequest(), package: package, environment: environment,
        probe: ToolchainProbe(
          supervisor: supervisor, cache: try? PrivateFolder.cache(environment: environment),
          environment: environment))
      let found = choice.toolchain
      guard access(found.clang, X_OK) == 0 else {
        return Finding(
          name: name, status: .failure, message: "\(found.binFolder) has no clang",
          fix: "install a whole toolchain of Swift 6.2 or newer")
      }
      return Finding(
        name: name, status: .ok, message: "\(choice.shown) is taken: \(choice.reason)")
    } catch let error as SwiftTestsError where error.code != .noToolchain {
      return Finding(
        name: name, status: .failure, message: "\(error)",
        fix: "install it, or see 'carrel toolchain verify --help'")
    } catch let error as EvidenceError {
      return Finding(
        name: name, status: .failure, message: "\(error)",
        fix: "mend the file, or write it anew with 'carrel toolchain pin'")
    } catch {
      return Finding(
        name: name, status: .failure, message: "no Swift toolchain is on PATH",
        fix: "install Swift 6.2 or newer and make sure that 'swift --version' works in this shell")
    }
  }

  private func cache() -> Finding {
    do {
      let folder = try PrivateFolder.cache(environment: environment)
      return Finding(name: "cache", status: .ok, message: "the cache is in \(folder)")
    } catch {
      return Finding(
        name: "cache", status: .failure, message: "no cache can be used: \(error)",
        fix: "set XDG_CACHE_HOME to a folder of this user that can be written")
    }
  }

  /// Containers, the index, and the levels of isolation.
  private func containers() -> [Finding] {
    do {
      let root = try WorkRoot(base: workFolder)
      defer { root.close() }
      let template = root.path + "/index.sqlite"
      try SearchIndex.createEmpty(at: template)
      let own = try root.prepare(worker: 1, indexTemplate: template)
      let other = try root.prepare(worker: 2, indexTemplate: template)
      let supervision = try Sandbox.ownSupervision()
      let (sandbox, plan) = sandbox(own, other, folder: root.path, using: supervision)
      return [
        Finding(name: "containers", status: .ok, message: "containers are made in \(root.path)"),
        space(at: root.path, name: "disk of containers", what: "containers"), sandbox,
        clones(plan, folder: root.path, using: supervision),
      ]
    } catch {
      return [
        Finding(
          name: "containers", status: .failure, message: "\(error)", fix: WorkRoot.advice)
      ]
    }
  }

  /// - Returns: The finding, and what sandboxes are like when they work.
  private func sandbox(
    _ own: Container, _ other: Container, folder: String, using supervision: Sandbox.Supervision
  ) -> (Finding, SandboxPlan?) {
    let name = "sandbox"
    let problem: String?
    do throws(WorkersError) {
      let plan = try SandboxPlan(IsolationRequest(), needed: [], folder: folder)
      problem = IsolationCheck.problem(
        of: plan, container: own, other: other, using: supervision)
      if problem == nil {
        let message = "--isolation sandbox works: a real process could not leave it"
        return (Finding(name: name, status: .ok, message: message), plan)
      }
    } catch {
      problem = "\(error)"
    }
    let finding = Finding(
      name: name, status: .warning,
      message: "--isolation sandbox does not work: \(problem ?? "")", fix: Self.adviceForSandboxes()
    )
    return (finding, nil)
  }

  /// How containers get the data of a seed intent, without and with sandboxes.
  private func clones(
    _ plan: SandboxPlan?, folder: String, using supervision: Sandbox.Supervision
  ) -> Finding {
    let name = "clones"
    do throws(RunEngineError) {
      let plain = try CloneCheck.choose(nil, plan: nil, in: folder, using: supervision)
      var message = "containers get the data of a seed intent by \(plain.way.rawValue)"
      guard let plan else { return Finding(name: name, status: .ok, message: message) }
      let inSandbox = try CloneCheck.choose(nil, plan: plan, in: folder, using: supervision)
      guard inSandbox.way != .overlay else {
        return Finding(name: name, status: .ok, message: message + ", in a sandbox by overlay")
      }
      message += ", also in a sandbox, and --scratch does not work: \(inSandbox.reason)"
      return Finding(name: name, status: .warning, message: message, fix: Sandbox.overlayAdvice)
    } catch {
      return Finding(name: name, status: .warning, message: "\(error)", fix: WorkRoot.advice)
    }
  }

  /// What keeps this machine from sandboxes, as far as its settings tell.
  private static func adviceForSandboxes() -> String {
    func setting(_ name: String) -> String? {
      readSmallFile("/proc/sys/\(name)").map { bytes in
        String(decoding: bytes.filter { $0 > 0x20 }, as: UTF8.self)
      }
    }
    if geteuid() != 0 {
      if setting("kernel/unprivileged_userns_clone") == "0" {
        return "let ordinary users make namespaces: sysctl kernel.unprivileged_userns_clone=1"
      }
      if setting("kernel/apparmor_restrict_unprivileged_userns") == "1" {
        return "let ordinary users make namespaces, or give carrel an AppArmor profile with "
          + "'userns': sysctl kernel.apparmor_restrict_unprivileged_userns=0"
      }
    }
    let kinds = ["user", "mnt", "pid", "net", "ipc", "uts"].filter {
      setting("user/max_\($0)_namespaces") == "0"
    }
    if !kinds.isEmpty {
      return "allow namespaces: sysctl "
        + kinds.map { "user.max_\($0)_namespaces=10000" }.joined(separator: " ")
    }
    return "Linux 5.12 is needed, and in a container the right to make namespaces and to mount "
      + "(docker run --privileged, or --security-opt seccomp=unconfined "
      + "--security-opt systempaths=unconfined --cap-add SYS_ADMIN); '--isolation processes' does "
      + "without"
  }

  /// Whether limits on memory and processes are counted by the kernel.
  private func limits() -> Finding {
    let name = "limits"
    let limiter = Limiter(ResourceLimits(memory: 1 << 30, processes: 1000))
    defer { limiter.close() }
    guard let problem = limiter.problem else {
      return Finding(
        name: name, status: .ok, message: "memory and processes are limited by control groups")
    }
    return Finding(
      name: name, status: .warning, message: problem.message,
      fix: "run it where it has a control group of its own: systemd-run --user --scope "
        + "-p Delegate=yes carrel run")
  }

  private func debugger() -> Finding {
    let name = "stacks of tests that hang"
    guard let path = RunSession.findDebugger(path: environment["PATH"]) else {
      return Finding(
        name: name, status: .warning, message: "gdb is not on PATH, so they are not in hang.txt",
        fix: "install gdb")
    }
    return Finding(name: name, status: .ok, message: "they are shown by \(path)")
  }

  private func descriptors() -> Finding {
    var limit = rlimit()
    let name = "open files"
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
      return Finding(
        name: name, status: .warning, message: "the limit cannot be read: \(errorText(errno))",
        fix: "see 'ulimit -n'")
    }
    let message = "\(limit.rlim_cur) descriptors are allowed"
    guard limit.rlim_cur >= Self.leastDescriptors else {
      return Finding(
        name: name, status: .warning, message: message + ", which is little for many workers",
        fix: "raise the limit: ulimit -n \(Self.leastDescriptors)")
    }
    return Finding(name: name, status: .ok, message: message)
  }

  private func space(at path: String, name: String, what: String) -> Finding {
    var info = statvfs()
    guard statvfs(path, &info) == 0 else {
      return Finding(
        name: name, status: .warning,
        message: "the space at \(path) cannot be read: \(errorText(errno))",
        fix: "give the path of a folder that can be read")
    }
    let free = UInt64(info.f_bavail) * UInt64(info.f_frsize)
    let message = "\(free >> 20) MiB are free at \(path)"
    guard free >= Self.leastSpace else {
      return Finding(
        name: name, status: .warning, message: message + ", which is little for \(what)",
        fix: what == "containers"
          ? WorkRoot.advice : "free some, or give --output a folder with room")
    }
    return Finding(name: name, status: .ok, message: message)
  }
}
