import Glibc

/// Whether this process may make control groups that limit memory and processes; where it may not,
/// a run falls back to resource limits.
public let canMakeControlGroups: Bool = {
  func text(_ path: String) -> String {
    guard let file = fopen(path, "re") else { return "" }
    defer { fclose(file) }
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    let count = fread(&buffer, 1, buffer.count, file)
    return String(decoding: buffer.prefix(count), as: UTF8.self)
  }
  var groups: [String: String] = [:]
  for line in text("/proc/self/cgroup").split(separator: "\n") {
    let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
    if parts.count == 3 { groups[String(parts[1])] = String(parts[2]) }
  }
  if let memory = groups["memory"], let processes = groups["pids"] {
    return access("/sys/fs/cgroup/memory" + memory, W_OK) == 0
      && access("/sys/fs/cgroup/pids" + processes, W_OK) == 0
  }
  let own = "/sys/fs/cgroup" + (groups[""] ?? "")
  let controllers = text(own + "/cgroup.subtree_control")
  return controllers.contains("memory") && controllers.contains("pids") && access(own, W_OK) == 0
}()
