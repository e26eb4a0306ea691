import Testing

@testable import Workers

/// Where control groups are, from texts of `/proc`.
@Suite struct ControlGroupHierarchyTests {
  private static let oldMounts = """
    tmpfs /sys/fs/cgroup tmpfs rw,relatime,mode=755 0 0
    cgroup /sys/fs/cgroup/cpu,cpuacct cgroup rw,relatime,cpu,cpuacct 0 0
    cgroup /sys/fs/cgroup/memory cgroup rw,relatime,memory 0 0
    cgroup /sys/fs/cgroup/pids\\040x cgroup rw,relatime,pids 0 0
    cgroup2 /sys/fs/cgroup/unified cgroup2 rw,relatime 0 0
    """

  @Test func unifiedHierarchyIsFirst() {
    let found = ControlGroupHierarchy.find(
      ["memory", "pids"], mounts: Self.oldMounts,
      groups: "8:pids:/\n4:memory:/a/b\n2:cpu,cpuacct:/\n0::/x\n")
    #expect(
      found == [
        .init(version: .two, controller: "", folder: "/sys/fs/cgroup/unified/x"),
        .init(version: .one, controller: "memory", folder: "/sys/fs/cgroup/memory/a/b"),
        .init(version: .one, controller: "pids", folder: "/sys/fs/cgroup/pids x"),
      ])
  }

  @Test func onlyWhatIsAskedForIsFound() {
    let groups = "8:pids:/\n4:memory:/a\n2:cpu,cpuacct:/c\n"
    let found = ControlGroupHierarchy.find(["cpuacct"], mounts: Self.oldMounts, groups: groups)
    #expect(found.map(\.folder) == ["/sys/fs/cgroup/cpu,cpuacct/c"])
    #expect(ControlGroupHierarchy.find(["io"], mounts: Self.oldMounts, groups: groups) == [])
    #expect(ControlGroupHierarchy.find(["memory"], mounts: "", groups: groups) == [])
    #expect(ControlGroupHierarchy.find(["memory"], mounts: Self.oldMounts, groups: "") == [])
  }

  @Test func oneUnifiedMount() {
    let found = ControlGroupHierarchy.find(
      ["memory"], mounts: "cgroup2 /sys/fs/cgroup cgroup2 rw,nsdelegate 0 0\nproc /proc proc rw",
      groups: "0::/user.slice/user-1000.slice/run:1.scope\n")
    #expect(
      found.map(\.folder) == ["/sys/fs/cgroup/user.slice/user-1000.slice/run:1.scope"])
  }
}
