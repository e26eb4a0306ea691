/// What the processes of an attempt may use; `nil` is no limit. See `docs/limits.md`.
package struct ResourceLimits: Codable, Hashable, Sendable {
  /// Bytes of memory.
  package var memory: Int?
  /// Processes and threads that exist at once.
  package var processes: Int?
  /// Descriptors that a process has open at once.
  package var files: Int?
  /// Bytes of the largest file that is written, and of all files in the container.
  package var disk: Int?
  /// Processors that the processes may run on.
  package var cpus: Int?
  /// Seconds without any output or event while a test runs.
  package var silence: Double?

  package init(
    memory: Int? = nil, processes: Int? = nil, files: Int? = nil, disk: Int? = nil,
    cpus: Int? = nil, silence: Double? = nil
  ) {
    self.memory = memory
    self.processes = processes
    self.files = files
    self.disk = disk
    self.cpus = cpus
    self.silence = silence
  }

  package var isEmpty: Bool { self == ResourceLimits() }

  /// Whether anything has to be set for a process; silence is watched from outside.
  package var bindsProcesses: Bool {
    memory != nil || processes != nil || files != nil || disk != nil || cpus != nil
  }
}

/// The limits of a run and how they are held.
package struct RunLimits: Codable, Hashable, Sendable {
  package var limits: ResourceLimits
  /// What binds memory and processes: `cgroup v2`, `cgroup v1` or `rlimits`.
  package var mechanism: String
  /// What the mechanism cannot do on this machine, a sentence each.
  package var notes: [String]

  package init(limits: ResourceLimits, mechanism: String, notes: [String]) {
    self.limits = limits
    self.mechanism = mechanism
    self.notes = notes
  }
}
