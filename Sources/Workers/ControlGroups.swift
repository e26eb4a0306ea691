import Glibc
import RunModel
import SystemFiles

/// The control groups of a run: one folder in each hierarchy, in which each batch gets a group.
final class ControlGroups {
  let version: ControlGroupHierarchy.Version
  /// The run's own folders, by controller; the same one for both with version 2.
  private let folders: [String: String]
  /// The group that this process was in before it made room for others, and the one that it is in.
  private let moved: (from: String, to: String)?
  /// Controllers that were handed on to the groups below, to be taken back.
  private let enabled: [String]
  /// The file to which that was written.
  private let control: String?
  private var leftOver: [ControlGroup] = []

  private init(
    version: ControlGroupHierarchy.Version, folders: [String: String],
    moved: (from: String, to: String)? = nil, enabled: [String] = [], control: String? = nil
  ) {
    self.control = control
    self.version = version
    self.folders = folders
    self.moved = moved
    self.enabled = enabled
  }

  /// Why there are no groups to be had, as a clause.
  struct Refusal: Error { var reason: String }

  /// The controllers that limits need.
  static func controllers(for limits: ResourceLimits) -> [String] {
    (limits.memory == nil ? [] : ["memory"]) + (limits.processes == nil ? [] : ["pids"])
  }

  /// Makes the run's folders where the system lets us: version 2 first, then version 1.
  ///
  /// - Throws: ``Refusal``.
  static func make(for controllers: [String]) throws(Refusal) -> ControlGroups {
    let hierarchies = ControlGroupHierarchy.find(
      controllers,
      mounts: String(decoding: readSmallFile("/proc/self/mounts") ?? [], as: UTF8.self),
      groups: String(decoding: readSmallFile("/proc/self/cgroup") ?? [], as: UTF8.self))
    guard !hierarchies.isEmpty else { throw Refusal(reason: "no control groups are mounted") }
    var reasons: [String] = []
    if let unified = hierarchies.first(where: { $0.version == .two }) {
      do throws(Refusal) {
        return try makeUnified(unified.folder, controllers)
      } catch {
        reasons.append(error.reason)
      }
    }
    var folders: [String: String] = [:]
    for controller in controllers {
      guard let hierarchy = hierarchies.first(where: { $0.controller == controller }) else {
        reasons.append("there is no controller for \(controller)")
        break
      }
      do throws(SystemFailure) {
        folders[controller] = try makeFolder(in: hierarchy.folder)
      } catch {
        reasons.append("no group can be made in \(hierarchy.folder): \(error)")
      }
    }
    guard folders.count == controllers.count else {
      for folder in folders.values { rmdir(folder) }
      throw Refusal(reason: reasons.joined(separator: "; "))
    }
    return ControlGroups(version: .one, folders: folders)
  }

  /// The folder of a run, after those of runs that are gone have been removed.
  private static func makeFolder(in parent: String) throws(SystemFailure) -> String {
    removeStale(in: parent)
    let path = "\(parent)/carrel-\(getpid())-\(randomText(6))"
    try retrying { mkdir(path, 0o755) }
    return path
  }

  private static func removeStale(in parent: String) {
    for name in folderEntries(parent) ?? [] where name.hasPrefix("carrel-") {
      let parts = name.split(separator: "-")
      guard parts.count == 3, let pid = Int32(parts[1]), kill(pid, 0) != 0, errno == ESRCH else {
        continue
      }
      for group in folderEntries("\(parent)/\(name)") ?? [] { rmdir("\(parent)/\(name)/\(group)") }
      rmdir("\(parent)/\(name)")
    }
  }

  /// A group with processes cannot hand its controllers on (cgroups(7), "no internal processes"),
  /// so this process first goes into a group of its own when it is alone.
  private static func makeUnified(
    _ own: String, _ controllers: [String]
  ) throws(Refusal) -> ControlGroups {
    let list = controllers.joined(separator: " and ")
    let available = ControlGroupFile.words(own + "/cgroup.controllers")
    guard controllers.allSatisfy(available.contains) else {
      throw Refusal(reason: "\(own) has no controller for \(list)")
    }
    var moved: (from: String, to: String)?
    func undo() {
      guard let moved else { return }
      try? ControlGroupFile.write("0", to: moved.from + "/cgroup.procs")
      rmdir(moved.to)
    }
    do throws(SystemFailure) {
      let control = own + "/cgroup.subtree_control"
      let missing = controllers.filter { !ControlGroupFile.words(control).contains($0) }
      let change = missing.map { "+" + $0 }.joined(separator: " ")
      if !missing.isEmpty {
        if (try? ControlGroupFile.write(change, to: control)) == nil {
          // This process and what it has started, its watchdog for one.
          let members = ControlGroupFile.words(own + "/cgroup.procs")
          let family = Set(([getpid()] + ProcessTable.children()).map { "\($0)" })
          guard family.isSuperset(of: members) else { throw SystemFailure(EBUSY) }
          let leaf = try makeFolder(in: own)
          moved = (own, leaf)
          for member in members {
            try ControlGroupFile.write(member, to: leaf + "/cgroup.procs")
          }
          try ControlGroupFile.write(change, to: control)
        }
      }
      let folder = try makeFolder(in: own)
      do throws(SystemFailure) {
        let all = controllers.map { "+" + $0 }.joined(separator: " ")
        try ControlGroupFile.write(all, to: folder + "/cgroup.subtree_control")
      } catch {
        rmdir(folder)
        throw error
      }
      let folders = Dictionary(uniqueKeysWithValues: controllers.map { ($0, folder) })
      return ControlGroups(
        version: .two, folders: folders, moved: moved, enabled: missing, control: control)
    } catch {
      undo()
      let why = error.number == EBUSY ? "it holds other processes, too" : "\(error)"
      throw Refusal(
        reason: "\(own) cannot hand on its controllers for \(list): \(why); 'systemd-run --user "
          + "--scope -p Delegate=yes carrel run' starts a run in a group of its own")
    }
  }

  /// Makes the group of a batch.
  ///
  /// - Throws: ``WorkersError`` with code `limits`.
  func makeGroup(_ limits: ResourceLimits, name: String) throws(WorkersError) -> ControlGroup {
    endLeftOver()
    do throws(SystemFailure) {
      return try ControlGroup(version, in: folders, limits, name: name)
    } catch {
      throw WorkersError(
        .limits, "the limits cannot be set for a batch", cause: error,
        advice: "run again without --memory-limit and --process-limit")
    }
  }

  /// Removes the group of a batch whose processes have ended; what hides in it is killed.
  func end(_ group: ControlGroup) {
    group.closeDescriptors()
    if !group.remove() { leftOver.append(group) }
  }

  private func endLeftOver() { leftOver.removeAll { $0.remove() } }

  /// Removes the run's folders.
  func close() {
    endLeftOver()
    for folder in Set(folders.values) { rmdir(folder) }
    if let control, !enabled.isEmpty {
      // Refused as long as another run needs them.
      let change = enabled.map { "-" + $0 }.joined(separator: " ")
      try? ControlGroupFile.write(change, to: control)
    }
    if let moved {
      try? ControlGroupFile.write("0", to: moved.from + "/cgroup.procs")
      rmdir(moved.to)
    }
  }
}
