import Glibc
import SystemFiles
import TestSupport
import Testing
import Workers

@Suite struct ContainerTests {
  /// A work root in a folder of its own, with an index template.
  final class Fixture {
    let base: String
    let root: WorkRoot
    let template: String
    private let folder: TemporaryFolder

    init(in parent: String = "/tmp") throws {
      folder = try TemporaryFolder(name: "ä b", in: parent)
      base = folder.path
      root = try WorkRoot(base: base)
      template = base + "/template"
      try writeSmallFile(template, Array("index".utf8))
    }
  }

  @Test func freshContainerHasItsFoldersAndIndex() throws {
    let fixture = try Fixture()
    let container = try fixture.root.prepare(worker: 1, indexTemplate: fixture.template)
    for folder in [
      "home/Documents", "home/Library/Application Support", "home/Library/Caches",
      "home/Library/Preferences", "tmp",
    ] {
      var info = stat()
      #expect(stat("\(container.root)/\(folder)", &info) == 0)
      #expect(info.st_mode & 0o777 == 0o700)
    }
    #expect(readSmallFile(container.index) == Array("index".utf8))
    for (name, value) in container.environment where name != "CARREL_INDEX" {
      #expect(container.contains(value), "\(name)")
    }
  }

  @Test func untouchedContainerIsKept() throws {
    let fixture = try Fixture()
    let container = try fixture.root.prepare(worker: 1, indexTemplate: fixture.template)
    var before = stat()
    stat(container.home, &before)
    // What the batch was given is not for the next one.
    try writeSmallFile(container.selection, [1])
    #expect(fixture.root.retire(container, keepsFiles: false) == nil)
    _ = try fixture.root.prepare(worker: 1, indexTemplate: fixture.template)
    var after = stat()
    stat(container.home, &after)
    #expect(before.st_ino == after.st_ino)
    #expect(access(container.selection, F_OK) != 0)
  }

  /// Whatever is removed with a container, the next batch gets a fresh one, and what the caller
  /// removes of the batch before is never the next one's.
  @Test(arguments: ["container", "run", "user"]) func removedFoldersAreMadeAgain(what: String)
    throws
  {
    let fixture = try Fixture()
    let template = fixture.root.path + "/index.sqlite"
    try writeSmallFile(template, Array("index".utf8))
    let container = try fixture.root.prepare(worker: 1, indexTemplate: template)
    let run = fixture.root.path
    let user = String(run.prefix(upTo: try #require(run.lastIndex(of: "/"))))
    removeTree(["container": container.root, "run": run, "user": user][what] ?? "")
    let retired = try #require(fixture.root.retire(container, keepsFiles: true))
    #expect(retired != container.root && access(retired, F_OK) == 0)
    let next = try fixture.root.prepare(worker: 1, indexTemplate: template)
    removeTree(retired)
    #expect(access(next.home, F_OK) == 0)
    #expect(readSmallFile(next.index) == Array("index".utf8))
  }

  /// Everything that a test can do to its container.
  static let touches: [(name: String, touch: @Sendable (Container) -> Void)] = [
    ("file in home", { try? writeSmallFile($0.home + "/x", [1]) }),
    ("file in a folder of the library", { try? writeSmallFile($0.home + "/Library/Caches/x", []) }),
    ("folder in tmp", { mkdir($0.temporary + "/x", 0o700) }),
    ("link in documents", { symlink("/", $0.home + "/Documents/x") }),
    ("crash report", { try? writeSmallFile($0.evidence + "/x.json", []) }),
    ("mode", { chmod($0.home + "/Documents", 0o755) }),
    ("folder removed", { rmdir($0.home + "/Documents") }),
    (
      "folder made anew",
      {
        rmdir($0.home + "/Documents")
        mkdir($0.home + "/Documents", 0o700)
      }
    ),
    ("index written", { try? writeSmallFile($0.index, Array("other".utf8)) }),
    (
      "index written in the same moment with the old size",
      { container in
        let file = open(container.index, O_WRONLY)
        pwrite(file, "X", 1, 0)
        close(file)
      }
    ),
    ("index mapped and written", { #expect(writeThroughMapping($0.index, 9)) }),
    ("file beside home", { try? writeSmallFile($0.root + "/x", [1]) }),
    ("folder of the name of the selection", { mkdir($0.selection, 0o700) }),
    ("index removed", { unlink($0.index) }),
    (
      "index replaced by a link",
      { container in
        unlink(container.index)
        symlink("/etc/passwd", container.index)
      }
    ),
    ("everything removed", { removeTree($0.root) }),
  ]

  @Test(arguments: touches.indices, ["/tmp", "/dev/shm"])
  func touchedContainerIsMadeAnew(index: Int, parent: String) throws {
    let fixture = try Fixture(in: parent)
    let container = try fixture.root.prepare(worker: 1, indexTemplate: fixture.template)
    Self.touches[index].touch(container)
    if let folder = fixture.root.retire(container, keepsFiles: false) { removeTree(folder) }
    let next = try fixture.root.prepare(worker: 1, indexTemplate: fixture.template)
    #expect(readSmallFile(next.index) == Array("index".utf8))
    #expect(Set(folderEntries(next.root) ?? []) == ["home", "tmp", "evidence", "index.sqlite"])
    #expect(folderEntries(next.temporary) == ["run"])
    #expect(folderEntries(next.evidence) == ["attachments"])
    #expect(folderEntries(next.home + "/Documents") == [])
    #expect(folderEntries(next.home + "/Library/Caches") == [])
    #expect(Set(folderEntries(next.home) ?? []) == ["Documents", "Library"])
    var info = stat()
    #expect(lstat(next.home + "/Documents", &info) == 0 && info.st_mode & 0o777 == 0o700)
    #expect(lstat(next.index, &info) == 0 && info.st_mode & S_IFMT == S_IFREG)
  }

  @Test func filesThatAreNeededAreMovedAway() throws {
    let fixture = try Fixture()
    let container = try fixture.root.prepare(worker: 1, indexTemplate: fixture.template)
    let folder = try #require(fixture.root.retire(container, keepsFiles: true))
    #expect(folder != container.root)
    #expect(access(folder + "/home", F_OK) == 0)
    #expect(access(container.root, F_OK) != 0)
  }

  @Test func workRootIsPrivateShortAndGoneAfterwards() throws {
    var root: WorkRoot? = try WorkRoot()
    let path = try #require(root?.path)
    var info = stat()
    #expect(stat(path, &info) == 0 && info.st_mode & 0o777 == 0o700)
    // A socket with a name of 30 bytes fits into the 107 bytes that unix(7) allows.
    #expect(try #require(root).container(worker: 99).temporary.utf8.count + 31 <= 107)
    root = nil
    #expect(access(path, F_OK) != 0)
  }

  /// Files for a container may come from anywhere.
  @Test func foldersOfAReplacedHomeAreNotMadeThroughLinks() throws {
    let fixture = try Fixture()
    let container = try fixture.root.prepare(worker: 1, indexTemplate: fixture.template)
    let outside = fixture.base + "/outside"
    try makeFolders(outside)
    let other = container.root + "/other"
    try makeFolders(other + "/Library")
    symlink(outside, other + "/Documents")
    symlink(outside, other + "/Library/Caches")
    try writeSmallFile(other + "/Library/State", [1])
    #expect(try container.replace("home", with: other))
    #expect(folderEntries(outside) == [])
    #expect(
      Set(folderEntries(container.home + "/Library") ?? []) == [
        "Application Support", "Caches", "Groups", "Preferences", "State",
      ])
    symlink(outside, container.root + "/link")
    #expect(try !container.replace("tmp", with: container.root + "/link"))
    #expect(folderEntries(container.temporary) == ["run"])
    let library = fixture.base + "/library"
    try makeFolders(library)
    symlink(outside, library + "/Library")
    #expect(try container.replace("home", with: library))
    #expect(folderEntries(outside) == [])
    #expect(Set(folderEntries(container.home) ?? []) == ["Documents", "Library"])
  }

  /// A home that leads out of the container is not in it, whatever its path looks like.
  @Test func pathsAreInTheContainerByWhereTheyLead() throws {
    let fixture = try Fixture()
    let container = try fixture.root.prepare(worker: 1, indexTemplate: fixture.template)
    #expect(container.contains(container.home + "/Library/Caches/not/yet"))
    #expect(!container.contains(container.root + "x"))
    #expect(!container.contains("home"))
    #expect(!container.contains(container.home + "/../../x"))
    rmdir(container.home + "/Documents")
    symlink(fixture.base, container.home + "/Documents")
    #expect(!container.contains(container.home + "/Documents"))
    #expect(!container.contains(container.home + "/Documents/below"))
    symlink("/nowhere/at/all", container.home + "/link")
    #expect(!container.contains(container.home + "/link"))
    symlink(container.home, fixture.base + "/way")
    #expect(container.contains(fixture.base + "/way/Library"))
  }

  @Test func folderOfSomebodyElseIsRefused() throws {
    let fixture = try Fixture()
    let base = fixture.base + "/hostile"
    #expect(mkdir(base, 0o755) == 0)
    #expect(symlink("/tmp", "\(base)/carrel-\(getuid())") == 0)
    let error = #expect(throws: WorkersError.self) { try WorkRoot(base: base) }
    #expect(error?.code == .container)
  }

  @Test func treesAreRemovedWhateverIsInThem() throws {
    let fixture = try Fixture()
    let tree = fixture.base + "/tree"
    let outside = fixture.base + "/outside"
    #expect(mkdir(tree, 0o700) == 0 && mkdir(outside, 0o700) == 0)
    try writeSmallFile(outside + "/kept", [1])
    symlink(outside, tree + "/link")
    mkfifo(tree + "/fifo", 0o600)
    try writeSmallFile(tree + "/file", [1], mode: 0o000)
    mkdir(tree + "/locked", 0o700)
    try writeSmallFile(tree + "/locked/file", [1])
    chmod(tree + "/locked", 0o000)
    // Deeper than a path can be long.
    var folder = open(tree, O_RDONLY | O_DIRECTORY)
    let name = String(repeating: "d", count: 200)
    for _ in 0..<40 {
      #expect(mkdirat(folder, name, 0o700) == 0)
      let next = openat(folder, name, O_RDONLY | O_DIRECTORY)
      close(folder)
      folder = next
    }
    close(folder)
    #expect(removeTree(tree) == nil)
    #expect(access(tree, F_OK) != 0)
    #expect(readSmallFile(outside + "/kept") == [1])
  }
}
