import Glibc
import SystemFiles

/// Folders that belong to the user alone.
package enum PrivateFolder {
  /// Makes the folder if need be, and checks that nobody else can write into it or stands behind
  /// it.
  ///
  /// What is kept in such a folder is believed later, up to libraries that are loaded into test
  /// processes; so the folder itself must not be a link, must belong to the user, and must not be
  /// writable for anybody else.
  ///
  /// - Throws: Why it cannot be used.
  package static func make(_ path: String) throws(Refusal) {
    do throws(FileError) {
      try makeFolders(path, mode: 0o700)
    } catch {
      throw Refusal(description: "\(error)")
    }
    var info = stat()
    guard lstat(path, &info) == 0 else {
      let reason = SystemFailure(errno)
      throw Refusal(description: "'\(path)' cannot be looked at: \(reason)")
    }
    guard info.isFolder else { throw Refusal(description: "'\(path)' is no folder itself") }
    guard info.st_uid == getuid() else {
      throw Refusal(description: "'\(path)' belongs to another user")
    }
    guard info.st_mode & 0o022 == 0 else {
      throw Refusal(description: "'\(path)' can be written by others")
    }
    guard access(path, W_OK | X_OK) == 0 else {
      let reason = SystemFailure(errno)
      throw Refusal(description: "'\(path)' cannot be written: \(reason)")
    }
  }

  /// Why a folder cannot be used: a clause that names it.
  package struct Refusal: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String
  }

  /// The folder for files that can be made again: `carrel` in `XDG_CACHE_HOME`, else in `.cache` of
  /// `HOME`, else a folder of this user in `/tmp`; the first that can be used.
  ///
  /// A library in it is named in `LD_PRELOAD`, which has no way to write a space, a colon or a
  /// dollar sign (ld.so(8)), so a folder with one of them in its path cannot be used.
  ///
  /// - Throws: ``WorkersError`` with code `noCache` when there is none.
  package static func cache(environment: [String: String]) throws(WorkersError) -> String {
    var candidates: [String] = []
    if let folder = environment["XDG_CACHE_HOME"], folder.hasPrefix("/") {
      candidates.append(folder + "/carrel")
    }
    if let home = environment["HOME"], home.hasPrefix("/") {
      candidates.append(home + "/.cache/carrel")
    }
    candidates.append("/tmp/carrel-cache-\(getuid())")
    return try firstUsable(candidates)
  }

  /// - Throws: ``WorkersError`` with code `noCache`, which says of each why it cannot be used.
  package static func firstUsable(_ candidates: [String]) throws(WorkersError) -> String {
    var refusals: [Refusal] = []
    for candidate in candidates {
      do throws(Refusal) {
        guard !candidate.contains(where: { " :$".contains($0) }) else {
          throw Refusal(
            description: "'\(candidate)' has a space, a colon or a dollar sign in its path")
        }
        try make(candidate)
        return candidate
      } catch {
        refusals.append(error)
      }
    }
    throw WorkersError(
      .noCache,
      "there is no folder for files that are kept between runs: "
        + refusals.map(\.description).joined(separator: "; "),
      context: ["paths": candidates.joined(separator: ":")], advice: "set XDG_CACHE_HOME")
  }
}
