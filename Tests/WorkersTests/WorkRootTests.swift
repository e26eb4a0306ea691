import Glibc
import SystemFiles
import TestSupport
import Testing

@testable import Workers

@Suite struct WorkRootTests {
  private let folder: TemporaryFolder
  private var user: String { folder.path(of: "carrel-\(getuid())") }

  init() throws {
    folder = try TemporaryFolder()
    _ = try WorkRoot(base: folder.path)
  }

  private var names: [String] { (folderEntries(user) ?? []).sorted() }

  /// Makes what a run leaves that is killed.
  private func leave(_ name: String) throws {
    try makeFolders("\(user)/\(name)/w1/home/Library")
    try writeSmallFile("\(user)/\(name)/w1/home/file", [1])
    try writeSmallFile("\(user)/\(name)/\(WorkRoot.marker)", [])
  }

  @Test func whatAKilledRunLeftIsRemoved() throws {
    try leave("aB3dE6")
    try leave(Leftovers.name(.folder))
    let root = try WorkRoot(base: folder.path)
    #expect(names == [lastComponent(of: root.path)])
  }

  @Test func whatALivingRunHasStays() throws {
    let first = try WorkRoot(base: folder.path)
    let second = try WorkRoot(base: folder.path)
    #expect(Set(names) == [lastComponent(of: first.path), lastComponent(of: second.path)])
    #expect(access("\(first.path)/\(WorkRoot.marker)", F_OK) == 0)
  }

  /// Whatever lies there that no run made is somebody's.
  @Test func anythingElseStays() throws {
    try makeFolders("\(user)/output/20260101T000000Z-000000")
    try makeFolders("\(user)/runs")
    try writeSmallFile("\(user)/abcdef", [1])
    try makeFolders(folder.path(of: "elsewhere"))
    try writeSmallFile(folder.path(of: "elsewhere/\(WorkRoot.marker)"), [])
    symlink(folder.path(of: "elsewhere"), "\(user)/linked")
    _ = try WorkRoot(base: folder.path)
    #expect(names == ["abcdef", "linked", "output", "runs"])
    #expect(access(folder.path(of: "elsewhere/\(WorkRoot.marker)"), F_OK) == 0)
    #expect(folderEntries("\(user)/output") == ["20260101T000000Z-000000"])
  }

  @Test(.enabled(if: geteuid() == 0, "mounting takes root"))
  func whatCannotGoYetIsTriedAgain() throws {
    try leave("aB3dE6")
    let place = "\(user)/aB3dE6/w1/home/Library"
    try #require(mount("none", place, "tmpfs", 0, "size=64k") == 0)
    _ = try WorkRoot(base: folder.path)
    #expect(names == ["aB3dE6"])
    try #require(umount(place) == 0)
    _ = try WorkRoot(base: folder.path)
    #expect(names == [])
  }

  @Test func placesWithinAreNotLasting() throws {
    let detour = "\(folder.path)/x/../\(lastComponent(of: user))"
    for path in [user, "\(user)/runs", "\(user)/not/yet", detour] {
      let error = #expect(throws: WorkersError.self, "\(path)") {
        try WorkRoot.checkLasting(path, base: folder.path)
      }
      #expect(error?.description.contains("choose a folder outside of it") == true)
    }
    symlink(user, folder.path(of: "link"))
    #expect(throws: WorkersError.self) {
      try WorkRoot.checkLasting(folder.path(of: "link/runs"), base: folder.path)
    }
    for path in [folder.path, user + "x", folder.path(of: "runs"), "/"] {
      try WorkRoot.checkLasting(path, base: folder.path)
    }
  }

  @Test func aFolderThatCannotBeMadeIsNamedWithTheReason() throws {
    let error = #expect(throws: WorkersError.self) { try WorkRoot(base: "/proc/none") }
    #expect(
      error.map { "\($0)" } == "cannot make the folder '/proc/none': \(errorText(ENOENT)); "
        + WorkRoot.advice)
    try writeSmallFile(folder.path(of: "file"), [])
    let other = #expect(throws: WorkersError.self) {
      try WorkRoot(base: folder.path(of: "file/below"))
    }
    #expect(other?.description.contains(": \(errorText(ENOTDIR)); ") == true)
  }

  @Test func aFolderThatCannotBeWrittenIsNamedWithTheReason() throws {
    chmod(folder.path, 0o755)
    let error = asOrdinaryUser {
      #expect(throws: WorkersError.self) { try WorkRoot(base: folder.path(of: "other")) }
    }
    #expect(error?.code == .container)
    #expect(
      error?.description == "cannot make the folder '\(folder.path(of: "other"))': "
        + "\(errorText(EACCES)); \(WorkRoot.advice)")
  }

  /// Who made it there, and what to do, depends on what it is.
  @Test(arguments: ["open", "foreign", "link", "file"])
  func aFolderOfSomebodyElseIsNamedWithTheReason(what: String) throws {
    // Only root can give something away.
    if what == "foreign", geteuid() != 0 { return }
    rmdir(user)
    switch what {
    case "file": try writeSmallFile(user, [])
    case "link": symlink("/usr", user)
    default: try makeFolders(user, mode: 0o700)
    }
    let reasons = [
      "open": "others may use it (mode 755); take that from them with 'chmod 700', or set",
      "foreign": "it belongs to the user with the ID 65534; remove it, or set",
      "link": "it is a link; remove it, or set", "file": "it is no folder; remove it, or set",
    ]
    if what == "open" { chmod(user, 0o755) }
    if what == "foreign" { chown(user, 65534, 65534) }
    let error = #expect(throws: WorkersError.self) { try WorkRoot(base: folder.path) }
    #expect(error?.code == .container)
    #expect(
      error?.description == "\(user) is not a private folder of this user: \(reasons[what] ?? "") "
        + "CARREL_WORK_DIR to a folder of this user")
  }

  @Test(.enabled(if: geteuid() == 0, "mounting takes root"))
  func aFullFolderIsNamedWithTheReason() throws {
    let disk = folder.path(of: "disk")
    try makeFolders(disk)
    // Room for the folder of the user and of the run with its marker, but not for a container.
    try #require(mount("none", disk, "tmpfs", 0, "size=64k,nr_inodes=6") == 0)
    defer { umount2(disk, Int32(MNT_DETACH)) }
    try writeSmallFile(folder.path(of: "template"), [])
    let root = try WorkRoot(base: disk)
    let error = #expect(throws: WorkersError.self) {
      try root.prepare(worker: 1, indexTemplate: folder.path(of: "template"))
    }
    let text = error?.description ?? ""
    #expect(text.hasPrefix("cannot make \(root.path)/w1/"), "\(text)")
    #expect(text.hasSuffix(": \(errorText(ENOSPC)); \(WorkRoot.advice)"), "\(text)")
    // Another run does not even get its own folder.
    let second = #expect(throws: WorkersError.self) { try WorkRoot(base: disk) }
    #expect(second?.description.contains(": \(errorText(ENOSPC)); ") == true)
  }

  /// Makes a run whose folder a test has moved and replaced by a link to somebody's files.
  private func replacedRoot() throws -> (root: WorkRoot, kept: String, moved: String) {
    let root = try WorkRoot(base: folder.path)
    let template = folder.path(of: "index")
    try writeSmallFile(template, [1])
    _ = try root.prepare(worker: 1, indexTemplate: template)
    let elsewhere = folder.path(of: "somebody")
    try makeFolders("\(elsewhere)/w1/home")
    try writeSmallFile("\(elsewhere)/w1/precious", [1])
    try writeSmallFile("\(elsewhere)/keep", [1])
    try #require(rename(root.path, root.path + ".old") == 0)
    try #require(symlink(elsewhere, root.path) == 0)
    return (root, elsewhere, root.path + ".old")
  }

  private func expectUntouched(_ elsewhere: String) {
    #expect(Set(folderEntries(elsewhere) ?? []) == ["keep", "w1"])
    #expect(Set(folderEntries(elsewhere + "/w1") ?? []) == ["home", "precious"])
  }

  @Test func nothingBehindALinkInPlaceOfTheFolderIsRemoved() throws {
    var (root, elsewhere, moved): (WorkRoot?, String, String) = try replacedRoot()
    let path = root?.path ?? ""
    root = nil
    expectUntouched(elsewhere)
    // What was made is gone, wherever it was moved to.
    #expect(access(moved, F_OK) != 0)
    #expect(readlink(path) == elsewhere)
  }

  @Test func nothingBehindALinkInPlaceOfTheFolderIsUsed() throws {
    let (root, elsewhere, moved) = try replacedRoot()
    let container = try root.prepare(worker: 1, indexTemplate: folder.path(of: "index"))
    #expect(readlink(root.path) == nil && access(container.home, F_OK) == 0)
    #expect(access(moved, F_OK) != 0)
    let retired = root.retire(container, keepsFiles: true)
    #expect(retired?.hasPrefix(root.path + "/done-") == true)
    expectUntouched(elsewhere)
  }

  /// Something that is no link may be anybody's.
  @Test func anotherFolderInPlaceOfTheFolderStays() throws {
    let root = try WorkRoot(base: folder.path)
    try #require(rename(root.path, root.path + ".old") == 0)
    try makeFolders(root.path + "/w1")
    #expect(throws: WorkersError.self) {
      try root.prepare(worker: 1, indexTemplate: folder.path(of: "index"))
    }
    #expect(access(root.path + "/w1", F_OK) == 0)
  }

  private func readlink(_ path: String) -> String? {
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = Glibc.readlink(path, &buffer, buffer.count)
    guard count >= 0 else { return nil }
    return String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
