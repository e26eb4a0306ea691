import CSystem
import Glibc
package import RunModel

/// Holds the processes of a run's batches to their limits.
///
/// Memory and processes are bound by control groups where the system lets us make some, else by
/// resource limits; the rest by resource limits and by the choice of processors.
package final class Limiter {
  package let limits: ResourceLimits
  private let groups: ControlGroups?
  private let resources: [ProcessLimits.Resource]
  private let processors: [Int32]
  /// What goes into the run's record; `nil` when there are no limits.
  package let record: RunLimits?

  /// Finds out what the system offers; cheap, and nothing at all without limits.
  ///
  /// - Parameter usesGroups: Whether control groups are used where there are some.
  package init(_ limits: ResourceLimits, usesGroups: Bool = true) {
    self.limits = limits
    processors = availableProcessors()
    var notes: [String] = []
    var groups: ControlGroups?
    let controllers = ControlGroups.controllers(for: limits)
    if !controllers.isEmpty, usesGroups {
      do throws(ControlGroups.Refusal) {
        groups = try ControlGroups.make(for: controllers)
      } catch {
        notes.append("control groups cannot be used: \(error.reason)")
      }
    }
    self.groups = groups
    var resources: [ProcessLimits.Resource] = []
    if let memory = limits.memory, groups == nil {
      resources.append(.init(number: carrel_resource_data, value: UInt64(memory)))
      notes.append(
        "the memory limit holds for each process by itself, without memory that processes share, "
          + "and a test that exceeds it is not named for it (RLIMIT_DATA)")
    }
    if let processes = limits.processes, groups == nil {
      if geteuid() == 0 {
        notes.append("processes are not limited: the system's own limit does not bind root")
      } else {
        let others = Self.threadsOfUser()
        resources.append(
          .init(number: carrel_resource_processes, value: UInt64(others + processes)))
        notes.append(
          "the process limit holds for all processes of the user together (RLIMIT_NPROC): "
            + "\(others) when the run started and \(processes) more")
      }
    }
    if let files = limits.files {
      resources.append(.init(number: carrel_resource_files, value: UInt64(files)))
    }
    if let disk = limits.disk {
      resources.append(.init(number: carrel_resource_file_size, value: UInt64(disk)))
    }
    if let cpus = limits.cpus, cpus > processors.count {
      notes.append("this machine has \(processors.count) of \(cpus) CPUs for the run")
    }
    self.resources = resources
    let mechanism =
      switch groups?.version {
      case .one: "cgroup v1"
      case .two: "cgroup v2"
      case nil: "rlimits"
      }
    record =
      limits.isEmpty ? nil : RunLimits(limits: limits, mechanism: mechanism, notes: notes)
  }

  /// Threads of all processes of the user; RLIMIT_NPROC counts these (getrlimit(2)).
  private static func threadsOfUser() -> Int {
    ProcessTable.all().reduce(0) { count, pid in
      var status = stat()
      guard stat("/proc/\(pid)", &status) == 0, status.st_uid == getuid() else { return count }
      return count + ProcessTable.threads(of: pid).count
    }
  }

  /// Makes the limits of a batch; ``BatchLimits/end()`` has to be called.
  ///
  /// - Throws: ``WorkersError`` with code `limits`.
  /// - Returns: `nil` when there are none to be set.
  package func begin(batch: Int, worker: Int) throws(WorkersError) -> BatchLimits? {
    guard limits.bindsProcesses else { return nil }
    let group = try groups?.makeGroup(limits, name: "batch-\(batch)")
    let process = ProcessLimits(
      resources: resources, processors: processors(ofWorker: worker),
      groups: group?.descriptors ?? [])
    return BatchLimits(process, group: group, of: groups)
  }

  /// Neighbouring workers get different processors, as far as there are enough.
  private func processors(ofWorker worker: Int) -> [Int32] {
    guard let cpus = limits.cpus, cpus < processors.count else { return [] }
    let first = (worker - 1) * cpus
    return (0..<cpus).map { processors[(first + $0) % processors.count] }
  }

  /// Removes what was made for the run.
  package func close() { groups?.close() }
}

/// The limits of one batch.
package final class BatchLimits {
  /// For the requests of the batch's processes.
  package let process: ProcessLimits
  private let group: ControlGroup?
  private let groups: ControlGroups?
  private var isOver = false

  fileprivate init(_ process: ProcessLimits, group: ControlGroup?, of groups: ControlGroups?) {
    self.process = process
    self.group = group
    self.groups = groups
  }

  /// Number of processes of the batch that the kernel killed for the memory limit.
  package var memoryKills: Int { group?.memoryKills ?? 0 }

  /// How often the kernel refused a process or thread of the batch for the limit of them.
  package var refusals: Int { group?.refusals ?? 0 }

  /// PIDs of the batch's processes, as far as they are known by their group.
  package var processes: [Int32] { group?.processes ?? [] }

  /// Gives up what was made for the batch; its processes have ended.
  package func end() {
    guard !isOver, let group else { return }
    isOver = true
    groups?.end(group)
  }
}
