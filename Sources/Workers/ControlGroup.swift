import Glibc
import RunModel
import SystemFiles

/// The control group of one batch: its test's process, the processes of its apps, and all that
/// these start.
final class ControlGroup {
  /// Absolute paths by controller.
  private let folders: [String: String]
  private let version: ControlGroupHierarchy.Version
  /// Open descriptors of the files that a process joins the group by.
  private(set) var descriptors: [Int32] = []

  /// - Parameter parents: The folders of the run by controller.
  /// - Throws: The system's reason; nothing is left then.
  init(
    _ version: ControlGroupHierarchy.Version, in parents: [String: String],
    _ limits: ResourceLimits, name: String
  ) throws(SystemFailure) {
    self.version = version
    folders = parents.mapValues { "\($0)/\(name)" }
    do throws(SystemFailure) {
      for folder in Set(folders.values) {
        try retrying { mkdir(folder, 0o755) }
        descriptors.append(
          try OwnedDescriptor(opening: folder + "/cgroup.procs", O_WRONLY).release())
      }
      try set(limits)
    } catch {
      closeDescriptors()
      _ = remove()
      throw error
    }
  }

  private func set(_ limits: ResourceLimits) throws(SystemFailure) {
    if let memory = limits.memory, let folder = folders["memory"] {
      switch version {
      case .one:
        try ControlGroupFile.write("\(memory)", to: folder + "/memory.limit_in_bytes")
        // Not there when the kernel does not count swap.
        try? ControlGroupFile.write("\(memory)", to: folder + "/memory.memsw.limit_in_bytes")
      case .two:
        try ControlGroupFile.write("\(memory)", to: folder + "/memory.max")
        try? ControlGroupFile.write("0", to: folder + "/memory.swap.max")
      }
    }
    if let processes = limits.processes, let folder = folders["pids"] {
      try ControlGroupFile.write("\(processes)", to: folder + "/pids.max")
    }
  }

  /// Number of processes that the kernel killed because the group had reached its memory limit.
  var memoryKills: Int {
    guard let folder = folders["memory"] else { return 0 }
    let file = version == .one ? "memory.oom_control" : "memory.events"
    return ControlGroupFile.number(after: "oom_kill", in: "\(folder)/\(file)")
  }

  /// How often a process or thread was refused because the group had reached its limit of them.
  var refusals: Int {
    folders["pids"].map { ControlGroupFile.number(after: "max", in: $0 + "/pids.events") } ?? 0
  }

  /// PIDs of the processes in the group.
  var processes: [Int32] {
    Set(folders.values).flatMap { ControlGroupFile.words($0 + "/cgroup.procs") }
      .compactMap { Int32($0) }
  }

  func closeDescriptors() {
    for descriptor in descriptors { close(descriptor) }
    descriptors = []
  }

  /// Removes the group, and kills what is still in it.
  ///
  /// - Returns: Whether it is gone; a process may need a moment to end.
  func remove() -> Bool {
    var isGone = true
    for folder in Set(folders.values) where rmdir(folder) != 0 && errno == EBUSY {
      for pid in ControlGroupFile.words(folder + "/cgroup.procs").compactMap({ Int32($0) }) {
        // 0 stands for a process of another namespace, and would be this one's own group.
        if pid > 1 { kill(pid, SIGKILL) }
      }
      isGone = isGone && rmdir(folder) == 0
    }
    return isGone
  }
}
