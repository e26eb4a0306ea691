import Glibc
import SystemFiles
import TestSupport
import Testing
import Workers

@testable import RunEngine

@Suite struct SandboxPlanTests {
  @Test func theHomeOfTheUserIsTheContainers() {
    let users = "root:x:0:0:root:/root:/bin/bash\nann:x:7:8:Ann,,:/home/ann:/bin/sh\nodd\n"
    let changed = SandboxPlan.users(Array(users.utf8), user: 7, home: "/c/home")
    #expect(
      String(decoding: changed, as: UTF8.self)
        == "root:x:0:0:root:/root:/bin/bash\nann:x:7:8:Ann,,:/c/home:/bin/sh\nodd\n")
  }

  @Test func aUserWithoutAnEntryGetsOne() {
    let changed = SandboxPlan.users([], user: 7, home: "/c/home")
    #expect(
      String(decoding: changed, as: UTF8.self)
        == "user:x:7:\(getegid())::/c/home:/bin/sh\n")
  }

  @Test func whatIsHiddenIsBoundWhenItIsNeeded() throws {
    let folder = try TemporaryFolder(in: "/var/tmp")
    let package = folder.path(of: "package")
    try makeFolders(package + "/.build", mode: 0o755)
    let plan = try SandboxPlan(
      IsolationRequest(network: .none, writable: ["/usr", package + "/.build"]),
      needed: [package, package + "/.build", "/usr", folder.path(of: "missing")],
      folder: folder.path)
    let configuration = try plan.configuration(for: Container(root: "/c"))
    #expect(configuration.network == .none)
    #expect(configuration.binds.first == .init("/c", at: "/tmp/carrel", isWritable: true))
    #expect(configuration.binds.last == .init(folder.path(of: "passwd"), at: "/etc/passwd"))
    #expect(
      Array(configuration.binds.dropFirst().dropLast()) == [
        .init(package), .init("/usr", isWritable: true),
        .init(package + "/.build", isWritable: true),
      ])
  }

  /// What was unpacked into the folder of containers, which is covered, is bound again, and the
  /// package with what may be written in it where it was.
  @Test func whatWasUnpackedIsSeenWhereItWas() throws {
    let root = try TemporaryFolder(in: "/var")
    let archive = root.path(of: "archive")
    let package = archive + "/package"
    try makeFolders(package + "/Data", mode: 0o755)
    let plan = try SandboxPlan(
      IsolationRequest(writable: [package + "/Data"]), needed: [archive, package],
      folder: root.path,
      seen: { $0.hasPrefix(package) ? "/tmp/old" + $0.dropFirst(package.count) : $0 })
    let configuration = try plan.configuration(for: Container(root: "/c"))
    #expect(configuration.covers == [root.path])
    #expect(
      Array(configuration.binds.dropFirst().dropLast()) == [
        .init(archive), .init(package, at: "/tmp/old"),
        .init(package + "/Data", at: "/tmp/old/Data", isWritable: true),
      ])
    #expect(plan.isWritable("/tmp/old/Data/x") && !plan.isWritable("/tmp/old/x"))
  }

  @Test(arguments: ["/", "/tmp", "/var", "/dev/shm", "/proc"])
  func whatHoldsPrivateFoldersCannotBeWritable(path: String) throws {
    let folder = try TemporaryFolder()
    let error = #expect(throws: WorkersError.self) {
      try SandboxPlan(IsolationRequest(writable: [path]), needed: [], folder: folder.path)
    }
    #expect(error?.code == .sandbox && error?.advice?.isEmpty == false)
  }

  /// Containers of other workers are not seen, wherever they lie.
  @Test func theFolderOfContainersIsCovered() throws {
    let folder = try TemporaryFolder(in: "/var")
    let plan = try SandboxPlan(IsolationRequest(), needed: [], folder: folder.path)
    #expect(try plan.configuration(for: Container(root: "/c")).covers == [folder.path])
  }

  /// A folder comes before what lies in it, whichever option named it.
  @Test func scratchFoldersAreOverlaysInTheirPlaces() throws {
    let folder = try TemporaryFolder(in: "/var/tmp")
    let package = folder.path(of: "package")
    try makeFolders(package + "/Tests/Snapshots", mode: 0o755)
    chmod(package + "/Tests", 0o750)
    let container = Container(root: folder.path(of: "container"))
    try makeFolders(container.root)
    let plan = try SandboxPlan(
      IsolationRequest(writable: [package + "/Tests/Snapshots"], scratch: [package + "/Tests"]),
      needed: [package], folder: folder.path)
    for _ in 1...2 {
      let configuration = try plan.configuration(for: container)
      let layer = container.layer("scratch-1")
      let own = Sandbox.Bind(package + "/Tests", layer: layer)
      let binds = configuration.binds.filter { $0.target.hasPrefix(package) }
      #expect(
        binds == [.init(package), own, .init(package + "/Tests/Snapshots", isWritable: true)])
      #expect(configuration.binds.contains(container.layersCover))
      var info = stat()
      #expect(stat(layer.upper, &info) == 0 && info.permissions == 0o750)
      #expect(folderEntries(layer.upper) == [] && folderEntries(layer.work) == [])
      try writeSmallFile(layer.upper + "/left", [])
    }
    #expect(plan.isWritable(package + "/Tests/a") && !plan.isWritable(package))
  }

  @Test(arguments: ["missing", "file", "both", "link", "/tmp"])
  func whatCannotBeScratchIsRefused(what: String) throws {
    let folder = try TemporaryFolder()
    try makeFolders(folder.path(of: "both"))
    try writeSmallFile(folder.path(of: "file"), [])
    symlink("both", folder.path(of: "link"))
    let path = what.hasPrefix("/") ? what : folder.path(of: what)
    let error = #expect(throws: WorkersError.self) {
      try SandboxPlan(
        IsolationRequest(writable: what == "both" ? [path] : [], scratch: [path]), needed: [],
        folder: folder.path)
    }
    #expect(error?.code == .sandbox && error?.context["path"] == path)
    #expect(error?.advice?.isEmpty == false)
  }

  @Test func whatShallBeSeenHasToBeThere() throws {
    let folder = try TemporaryFolder()
    let path = folder.path(of: "missing")
    let error = #expect(throws: WorkersError.self) {
      try SandboxPlan(IsolationRequest(scratch: [path]), needed: [], folder: folder.path)
    }
    #expect(error?.code == .sandbox && error?.context["path"] == path)
    // What tests write to may come into being with the first run.
    _ = try SandboxPlan(IsolationRequest(writable: [path]), needed: [], folder: folder.path)
    #expect(folderEntries(path) == [])
  }
}

/// Serial, because a process has only one set of children.
@Suite(.serialized, .enabled(if: Sandbox.problem() == nil, "no sandbox can be made here"))
struct IsolationCheckTests {
  private func problem(
    in parent: String = "/tmp", _ request: (_ other: Container) -> IsolationRequest
  ) throws -> String? {
    let folder = try TemporaryFolder(in: parent)
    let template = folder.path(of: "index")
    try writeSmallFile(template, [])
    let root = try WorkRoot(base: folder.path(of: "work"))
    let own = try root.prepare(worker: 1, indexTemplate: template)
    let other = try root.prepare(worker: 2, indexTemplate: template)
    let plan = try SandboxPlan(request(other), needed: [], folder: root.path)
    return IsolationCheck.problem(of: plan, container: own, other: other)
  }

  @Test(arguments: SandboxNetwork.allCases) func aSandboxIsOne(network: SandboxNetwork) throws {
    #expect(try problem { _ in IsolationRequest(network: network) } == nil)
  }

  /// Neither containers elsewhere nor what somebody has allowed is a way out.
  @Test func whatIsAllowedIsNoWayOut() throws {
    #expect(try problem(in: "/var") { _ in IsolationRequest() } == nil)
    let folder = try TemporaryFolder(in: "/usr")
    #expect(try problem { _ in IsolationRequest(writable: [folder.path]) } == nil)
  }

  /// The check sees what is not kept.
  @Test func aWayOutIsFound() throws {
    let problem = try #require(
      try problem { IsolationRequest(writable: [$0.root]) })
    #expect(problem.contains("a file can be written at /"), "\(problem)")
    #expect(problem.contains("another worker's container is seen at /"), "\(problem)")
  }
}
