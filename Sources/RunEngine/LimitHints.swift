import RunModel
import SwiftTests
import Workers

/// Names the limits that a test has met, with their values and the options that raise them.
struct LimitHints {
  /// Those of the run.
  let limits: ResourceLimits
  /// How often the kernel has killed a process of the test for memory, and refused it one.
  var memoryKills = 0
  var refusals = 0
  /// What the test's processes have noticed, or said.
  var signs: Set<LimitSign> = []
  /// What the private folders of the sandbox held at the end; empty without one.
  var folders: [Sandbox.PrivateFolderUse] = []
  /// The limit in seconds that ended the process.
  var time: Double?
  var silence: Double?
  /// A file or the container took more than it may, which ended the process.
  var isDiskLimitMet = false
  var isSandboxed = false

  /// A sentence for each limit that the test has met.
  var sentences: [String] {
    time.map { raised("the limit of \($0.formattedSeconds) for a test", "--timeout") }.asList
      + silence.map { raised("the limit of \($0.formattedSeconds) on silence", "--silence-limit") }
      .asList
      + cores.asList + memory.asList + processes.asList + files.asList + disk
  }

  private func raised(_ limit: String, _ option: String) -> String {
    "\(option) raises \(limit)"
  }

  /// Fewer cores make everything slower.
  private var cores: String? {
    guard let cpus = limits.cpus, time != nil || silence != nil else { return nil }
    return raised("the limit of \(cpus) \(cpus == 1 ? "core" : "cores")", "--cpus")
  }

  private var memory: String? {
    guard let memory = limits.memory, memoryKills > 0 || signs.contains(.memory) else {
      return nil
    }
    let large = folders.filter { $0.used >= 1 << 20 }
    let used = large.map { "\($0.path) (\(ByteSize.rounded($0.used)))" }.joined(separator: ", ")
    return raised("the memory limit of \(ByteSize.text(memory))", "--memory-limit")
      + (large.isEmpty ? "" : "; files in \(used) are in memory, too, and count against it")
  }

  private var processes: String? {
    guard let processes = limits.processes, refusals > 0 || signs.contains(.processes) else {
      return nil
    }
    return raised("the limit of \(processes) processes and threads", "--process-limit")
  }

  private var files: String? {
    guard let files = limits.files, signs.contains(.files) else { return nil }
    return "a process of the test had as many open files as it may; "
      + raised("the limit of \(files)", "--file-limit")
  }

  private var disk: [String] {
    var full: Set<String> = Set(folders.filter(\.isFull).map(\.path))
    for case .full(let folder) in signs { full.insert(folder) }
    guard let disk = limits.disk else {
      guard isSandboxed else { return [] }
      return full.sorted().map {
        "'\($0)' is full: it is in memory, and holds at most half as much as the machine has"
      }
    }
    let raised = raised("the disk limit of \(ByteSize.text(disk))", "--disk-limit")
    if isSandboxed, !full.isEmpty {
      let names = full.sorted().map { "'\($0)'" }.joined(separator: " and ")
      return ["\(names) can hold no more; \(raised), which each of these folders has"]
    }
    if isDiskLimitMet { return [raised] }
    if signs.contains(.fileSize) {
      return ["a process of the test wrote as much to a file as it may; \(raised)"]
    }
    if signs.contains(.space) { return ["there was no space left for a file; \(raised)"] }
    return []
  }
}

extension Optional {
  fileprivate var asList: [Wrapped] { map { [$0] } ?? [] }
}
