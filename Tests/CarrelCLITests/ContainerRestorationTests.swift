import Evidence
import Glibc
import RunModel
import SystemFiles
import TestSupport
import Testing
import Workers

@testable import CarrelCLI

@Suite struct ContainerRestorationTests {
  private let folder: TemporaryFolder
  private let root: WorkRoot
  private let container: Container
  private var outside: String { folder.path(of: "outside") }
  private var box: String { folder.path(of: "box") }

  init() throws {
    folder = try TemporaryFolder()
    root = try WorkRoot(base: folder.path(of: "work"))
    try writeSmallFile(folder.path(of: "template"), [])
    container = try root.prepare(worker: 1, indexTemplate: folder.path(of: "template"))
    for name in ["outside", "box/home/Library", "box/tmp"] {
      try makeFolders(folder.path(of: name))
    }
  }

  /// Packs the box and restores it.
  private func restore() throws -> ContainerRestoration {
    let attempt = AttemptResult(
      test: TestID(product: "P", library: .xctest, name: "M.C/t"), attempt: 1, batch: 1, worker: 1,
      verdict: .failed, startedAt: 0, duration: 0)
    let manifest = BundleManifest(
      carrel: "0", runID: "r", attempt: attempt, predecessors: [], package: "P", toolchain: "t",
      runtime: "r", hostName: "h", fixtureToken: nil, isolation: "directories", timeLimit: nil)
    let path = folder.path(of: "b.tar")
    try FailureBundle.write(
      BundleContents(
        manifest: manifest,
        entries: ["home", "tmp"].map { .init("container/\($0)", .item("\(box)/\($0)")) }),
      to: path, compression: .none)
    let restoration = ContainerRestoration(BundleReader(path: path))
    try restoration.restore(into: container)
    return restoration
  }

  @Test func filesAndLinksInsideComeBack() throws {
    try writeSmallFile(box + "/home/file", [1])
    try makeFolders(box + "/home/Documents")
    symlink("../file", box + "/home/Documents/link")
    symlink("home/file", box + "/tmp/dangling")
    #expect(try restore().notes == [])
    #expect(readSmallFile(container.home + "/Documents/link") == [1])
    #expect(folderEntries(container.home + "/Library/Caches") == [])
    #expect(Set(folderEntries(container.temporary) ?? []) == ["dangling", "run"])
  }

  /// Each of them would let a test, or the making of folders, write elsewhere.
  @Test(arguments: ["home/Library", "home/Library/Caches", "home/Documents", "tmp/run", "tmp/x"])
  func linksThatLeadOutStayAway(name: String) throws {
    rmdir(box + "/home/Library")
    try makeFolders(SystemFiles.folder(of: "\(box)/\(name)"))
    symlink(outside, "\(box)/\(name)")
    #expect(
      try restore().notes == [
        "1 entry is not restored from the bundle's container:",
        "  'container/\(name)' is a symbolic link that leads out of the folder",
      ])
    #expect(folderEntries(outside) == [])
    var info = stat()
    #expect(lstat("\(container.root)/\(name)", &info) != 0 || info.st_mode & S_IFMT == S_IFDIR)
    #expect(access(container.home + "/Library/Preferences", F_OK) == 0)
  }

  @Test func aHomeThatIsALinkIsReplacedByAnEmptyOne() throws {
    removeTree(box + "/home")
    symlink(outside, box + "/home")
    #expect(try restore().notes.count == 2)
    #expect(folderEntries(container.home + "/Documents") == [])
    #expect(folderEntries(outside) == [])
  }

  /// Also a link within the container: the new home is a folder.
  @Test func aHomeThatLeadsElsewhereInTheContainerIsReplaced() throws {
    removeTree(box + "/home")
    symlink("tmp/other", box + "/home")
    try makeFolders(box + "/tmp/other")
    #expect(try restore().notes.last == "  'container/home' is no folder")
    #expect(folderEntries(container.home + "/Documents") == [])
    #expect(folderEntries(container.temporary + "/other") == [])
  }

  @Test func manyAreCounted() throws {
    for number in 10..<30 { symlink("../../..", "\(box)/tmp/\(number)") }
    let notes = try restore().notes
    #expect(notes.first == "20 entries are not restored from the bundle's container:")
    #expect(notes.count == 12)
    #expect(notes.last == "  and 10 more")
  }
}
