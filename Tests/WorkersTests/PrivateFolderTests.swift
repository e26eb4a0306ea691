import Glibc
import SystemFiles
import TestSupport
import Testing
import Workers

@Suite struct PrivateFolderTests {
  private static let last = "/tmp/carrel-cache-\(getuid())"

  @Test func theUsersCacheComesFirst() throws {
    let (cache, home) = (try TemporaryFolder(), try TemporaryFolder())
    var environment = ["XDG_CACHE_HOME": cache.path, "HOME": home.path]
    #expect(try PrivateFolder.cache(environment: environment) == cache.path(of: "carrel"))
    #expect(folderEntries(home.path) == [])
    // A relative path is none (XDG Base Directory Specification).
    environment["XDG_CACHE_HOME"] = "cache"
    #expect(try PrivateFolder.cache(environment: environment) == home.path(of: ".cache/carrel"))
    var info = stat()
    #expect(stat(home.path(of: ".cache/carrel"), &info) == 0 && info.st_mode & 0o777 == 0o700)
  }

  /// `LD_PRELOAD` would take such a path for several.
  @Test(arguments: ["with space", "with:colon", "with$dollar"])
  func aPathThatCannotBePreloadedIsPassedOver(name: String) throws {
    let (cache, home) = (try TemporaryFolder(name: name), try TemporaryFolder())
    let found = try PrivateFolder.cache(
      environment: ["XDG_CACHE_HOME": cache.path, "HOME": home.path])
    #expect(found == home.path(of: ".cache/carrel"))
    #expect(folderEntries(cache.path) == [])
  }

  /// What others could write is passed over.
  @Test(arguments: ["link", "file", "writable", "unmakable"])
  func aFolderThatIsNotPrivateIsPassedOver(kind: String) throws {
    let (cache, home) = (try TemporaryFolder(), try TemporaryFolder())
    var folder = cache.path
    switch kind {
    case "link":
      mkdir(cache.path(of: "elsewhere"), 0o700)
      symlink("elsewhere", cache.path(of: "carrel"))
    case "file": try writeSmallFile(cache.path(of: "carrel"), [])
    case "writable":
      mkdir(cache.path(of: "carrel"), 0o700)
      chmod(cache.path(of: "carrel"), 0o770)
    default: folder = "/proc/none"
    }
    let found = try PrivateFolder.cache(environment: ["XDG_CACHE_HOME": folder, "HOME": home.path])
    #expect(found == home.path(of: ".cache/carrel"))
  }

  @Test func everyFolderIsNamedWithItsReason() throws {
    let folder = try TemporaryFolder()
    try writeSmallFile(folder.path(of: "file"), [])
    mkdir(folder.path(of: "shared"), 0o700)
    chmod(folder.path(of: "shared"), 0o770)
    let error = #expect(throws: WorkersError.self) {
      try PrivateFolder.firstUsable(
        ["file", "shared", "with space"].map { folder.path(of: $0) } + ["/proc/none"])
    }
    #expect(error?.code == .noCache)
    let text = try #require(error).description
    for reason in [
      "shared' can be written by others", "with space' has a space", "'/proc/none': No such file",
      "; set XDG_CACHE_HOME",
    ] { #expect(text.contains(reason), "\(text)") }
    #expect(text.contains(folder.path(of: "file")))
  }

  @Test func theLastResortIsAFolderOfTheUser() throws {
    #expect(try PrivateFolder.cache(environment: [:]) == Self.last)
  }
}
