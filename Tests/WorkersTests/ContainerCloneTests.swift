import Glibc
import RunModel
import TestSupport
import Testing

@testable import SystemFiles
@testable import Workers

/// Serial, because a process has only one set of children.
@Suite(.serialized) struct ContainerCloneTests {
  private let folder: TemporaryFolder
  private let root: WorkRoot
  private let index: String
  private let loop: EventLoop
  private let registry: ProcessRegistry

  init() throws {
    // A work folder of 150 bytes is nothing special.
    folder = try TemporaryFolder(name: "ä b " + String(repeating: "l", count: 125))
    root = try WorkRoot(base: folder.path)
    root.view = "/tmp/carrel"
    index = folder.path(of: "index")
    try writeSmallFile(index, Array("index".utf8))
    loop = try EventLoop()
    registry = try ProcessRegistry(ownsAllChildren: false)
  }

  /// What attempts start with.
  private func template() throws -> ContainerTemplate {
    let seeded = try root.prepare(worker: 0, indexTemplate: index)
    for name in ["kept", "gone", "folder/inner/a", "Documents/b"] {
      try makeFolders(SystemFiles.folder(of: "\(seeded.home)/\(name)"))
      try writeSmallFile("\(seeded.home)/\(name)", Array(name.utf8))
    }
    mkfifo(seeded.home + "/fifo", 0o600)
    chmod(seeded.home + "/kept", 0o640)
    try writeSmallFile(seeded.temporary + "/t", Array("t".utf8))
    let kept = try #require(root.retire(seeded, keepsFiles: true))
    return try ContainerTemplate(Container(root: kept, view: seeded.view))
  }

  private func clone(
    _ template: ContainerTemplate, _ way: CloneWay, worker: Int = 1
  ) throws -> Container {
    var result: WorkersError??
    root.prepare(worker: worker, from: template, by: way, in: loop) { result = .some($0) }
    loop.run { result != nil }
    if let error = result.flatMap({ $0 }) { throw error }
    let container = root.container(worker: worker)
    settle(container, in: root)
    return container
  }

  /// Lets copies be kept: nothing is certain of what was noted in the moment in which it was made,
  /// and a few files are made and noted in one.
  private func settle(_ container: Container, in root: WorkRoot) {
    // It is made last.
    waitForClock(past: container.index)
    guard case .copies(var home, var temporary)? = root.clones[container]?.contents else { return }
    home.note([])
    temporary.note([])
    root.clones[container]?.contents = .copies(home: home, temporary: temporary)
  }

  /// Runs a script where the container's processes are: in a sandbox if it has layers.
  private func run(_ script: String, in container: Container) throws -> String {
    let layers = root.layers(of: container)
    if layers == nil {
      // Where a test of the level `processes` is.
      var output = ""
      var end: ProcessEnd?
      let process = try SupervisedProcess(
        ProcessRequest(
          executable: "/bin/sh", arguments: ["-c", script],
          environment: ["HOME": container.home, "TMPDIR": container.temporary], scope: "test"),
        loop: loop, registry: registry,
        onOutput: { _, bytes in output += String(decoding: bytes, as: UTF8.self) },
        onEnd: { ended, _ in end = ended })
      loop.run { end != nil }
      #expect(end == .exited(0) && process.launchFailure == nil)
      return output
    }
    var binds = [Sandbox.Bind(container.root, at: container.view, isWritable: true)]
    binds += try layers?.binds(of: container) ?? []
    return try Sandbox.output(
      of: script, Sandbox.Configuration(binds: binds + [container.layersCover]),
      environment: ["HOME": "/tmp/carrel/home", "TMPDIR": "/tmp/carrel/tmp"])
  }

  /// The ways that work here. Reflinks need a file system that has them.
  private static let ways: [CloneWay] = CloneWay.allCases.filter { way in
    switch way {
    case .overlay: Sandbox.problem() == nil
    case .reflink: CloneWay.reflinkProblem(in: "/tmp") == nil
    case .copy: true
    }
  }

  /// Changes all that a process can change of what it sees.
  private static let vandalism = """
    cd "$HOME" && cat kept && echo more >> kept && chmod 777 kept && touch -d @0 kept
    rm gone; mv Documents/b Documents/c; rm -r folder; mkdir folder; echo new > folder/new
    ln kept second; ln -s kept link; truncate -s 1 Documents/c; chmod 500 Documents
    echo x > "$TMPDIR/t"; rm -rf Library; ls -A "$HOME/.."
    """

  @Test(arguments: ways) func attemptsHaveWhatTheTemplateHas(way: CloneWay) throws {
    let template = try template()
    let before = treeStamps(template.container.root)
    for _ in 1...2 {
      let container = try clone(template, way)
      let output = try run(
        "cd; find . | sort; cat kept folder/inner/a; stat -c %a kept", in: container)
      #expect(
        output.split(separator: "\n").map(String.init) == [
          ".", "./Documents", "./Documents/b", "./Library", "./Library/Application Support",
          "./Library/Caches", "./Library/Groups", "./Library/Preferences", "./Library/State",
          "./folder", "./folder/inner", "./folder/inner/a", "./gone", "./kept",
          "keptfolder/inner/a640",
        ])
      #expect(readSmallFile(container.index) == Array("index".utf8))
      // Whatever an attempt does is neither seen by the next one nor by the template.
      let seen = try run(Self.vandalism, in: container)
      #expect(seen.hasPrefix("kept"))
      try writeSmallFile(container.index, [1])
      try writeSmallFile(container.root + "/selection", [1])
      try writeSmallFile(container.evidence + "/crash", [1])
      #expect(root.retire(container, keepsFiles: false) == nil)
      #expect(treeStamps(template.container.root) == before)
    }
  }

  /// Layers that were put together are what a copy would be.
  @Test(arguments: ways) func everyWayLeavesTheSameFiles(way: CloneWay) throws {
    let template = try template()
    let container = try clone(template, way)
    _ = try run(Self.vandalism, in: container)
    let layers = root.layers(of: container)
    let size =
      folderSize(container.root, limit: 1 << 30)
      + (layers?.size(of: container, limit: 1 << 30) ?? 0)
    #expect(size >= 5 * 4096)
    let retired = Container(root: try #require(root.retire(container, keepsFiles: true)))
    try layers?.flatten(retired)
    var lines: [String] = []
    func look(_ path: String, _ name: String) {
      var status = stat()
      guard lstat(path, &status) == 0 else { return }
      let bytes = status.isRegular ? readSmallFile(path) ?? [] : []
      lines.append("\(name) \(status.kind == S_IFLNK ? 0 : status.permissions) \(bytes.count)")
      for entry in (folderEntries(path) ?? []).sorted() where status.isFolder {
        look("\(path)/\(entry)", "\(name)/\(entry)")
      }
    }
    look(retired.home, "home")
    look(retired.temporary, "tmp")
    #expect(
      lines == [
        "home 448 0", "home/Documents 320 0", "home/Documents/c 384 1",
        "home/folder \(0o777 & ~umaskOfTests) 0",
        "home/folder/new \(0o666 & ~umaskOfTests) 4", "home/kept 511 9", "home/link 0 0",
        "home/second 511 9", "tmp 448 0", "tmp/run 448 0", "tmp/t 384 2",
      ])
    removeTree(retired.root)
  }

  private var umaskOfTests: mode_t {
    let value = umask(0)
    umask(value)
    return value
  }

  /// Neither layers nor template are there for the processes of an attempt.
  @Test(.enabled(if: ways.contains(.overlay))) func layersAreNotSeen() throws {
    let template = try template()
    let container = try clone(template, .overlay)
    let output = try run(
      "ls -A /tmp/carrel/layers; touch /tmp/carrel/layers/x 2>/dev/null || echo closed; "
        + "rmdir /tmp/carrel/layers 2>/dev/null || echo fixed; "
        + "ls /tmp; umount /tmp/carrel/home 2>/dev/null || echo mounted", in: container)
    #expect(output == "closed\nfixed\ncarrel\nmounted\n")
  }

  /// Whoever writes to the template at the level without sandboxes is found out.
  @Test func aTemplateThatWasWrittenToIsRefused() throws {
    let template = try template()
    let container = try clone(template, .copy)
    _ = try run("echo x >> '\(template.container.home)/kept'", in: container)
    let error = #expect(throws: WorkersError.self) { try clone(template, .copy) }
    #expect(error?.code == .container)
    #expect(error?.description.contains("outside of their own container") == true)
  }

  /// A map of a file on tmpfs leaves no trace in its times.
  @Test func mappedWritesOnTmpfsAreFound() throws {
    let memory = try TemporaryFolder(name: "ä b", in: "/dev/shm")
    let root = try WorkRoot(base: memory.path)
    let seeded = try root.prepare(worker: 0, indexTemplate: index)
    try writeSmallFile(seeded.home + "/database", Array("seeded".utf8))
    let kept = try #require(root.retire(seeded, keepsFiles: true))
    let template = try ContainerTemplate(Container(root: kept))
    func clone() throws {
      var result: WorkersError??
      root.prepare(worker: 1, from: template, by: .copy, in: loop) { result = .some($0) }
      loop.run { result != nil }
      if let error = result.flatMap({ $0 }) { throw error }
    }
    try clone()
    let container = root.container(worker: 1)
    for _ in 1...2 {
      settle(container, in: root)
      #expect(writeThroughMapping(container.home + "/database", 9))
      try clone()
      #expect(readSmallFile(container.home + "/database") == Array("seeded".utf8))
    }
    let database = template.container.home + "/database"
    let before = FileStamp(path: database)
    #expect(writeThroughMapping(database, 9))
    #expect(FileStamp(path: database) == before)
    #expect(throws: WorkersError.self) { try clone() }
  }

  /// A clone stays in its place for the next batch when nobody needs its files.
  @Test(arguments: ways) func aCloneIsMadeAsItWas(way: CloneWay) throws {
    let template = try template()
    let container = try clone(template, way)
    let before = FileIdentity(path: container.home)
    _ = try run(
      "cd; echo x > new; rm -rf ../evidence; ln -s /tmp ../evidence; chmod 0 .", in: container)
    #expect(root.retire(container, keepsFiles: false) == nil)
    #expect(try clone(template, way) == container)
    #expect(FileIdentity(path: container.home) == before)
    #expect(
      try run("cd; ls; stat -c %a .", in: container)
        == "Documents\nLibrary\nfolder\ngone\nkept\n700\n")
    #expect(folderEntries(container.evidence) == ["attachments"])
    let retired = try #require(root.retire(container, keepsFiles: true))
    removeTree(retired)
    _ = try clone(template, way)
    #expect(FileIdentity(path: container.home) != nil)
    // Others get a container of their own.
    let plain = try root.prepare(worker: 1, indexTemplate: index)
    #expect(access(plain.home + "/kept", F_OK) != 0)
  }

  /// A container whose place somebody else's folder has is made anew.
  @Test(arguments: ways) func aReplacedContainerIsMadeAnew(way: CloneWay) throws {
    let template = try template()
    let container = try clone(template, way)
    let outside = folder.path(of: "outside")
    try makeFolders(outside + "/home")
    try writeSmallFile(outside + "/home/secret", [1])
    removeTree(container.root)
    symlink(outside, container.root)
    _ = try clone(template, way)
    #expect(try run("cat \"$HOME/kept\"", in: container) == "kept")
    #expect(folderEntries(outside + "/home") == ["secret"])
  }

  /// What was opened for reading before the first write shows what is written later.
  @Test(.enabled(if: ways.contains(.overlay))) func readersSeeWhatIsWrittenLater() throws {
    let template = try template()
    let container = try clone(template, .overlay)
    let output = try run("cd; exec 3< kept; printf XXXX > kept; cat <&3", in: container)
    #expect(output == "XXXX")
  }

  @Test(.enabled(if: ways.contains(.overlay))) func touchedLayersAreSeenFromOutside() throws {
    let template = try template()
    let container = try clone(template, .overlay)
    _ = try run("true", in: container)
    root.noteContents(worker: 1)
    #expect(root.isUntouched(worker: 1))
    _ = try run("cat \"$HOME/kept\"", in: container)
    #expect(root.isUntouched(worker: 1))
    _ = try run("echo x > \"$HOME/kept\"", in: container)
    #expect(!root.isUntouched(worker: 1))
  }
}
