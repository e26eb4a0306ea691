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
  /// - Returns: Whether it can be used.
  package static func make(_ path: String) -> Bool {
    do {
      try makeFolders(path, mode: 0o700)
    } catch {
      return false
    }
    var info = stat()
    return lstat(path, &info) == 0 && info.st_mode & S_IFMT == S_IFDIR && info.st_uid == getuid()
      && info.st_mode & 0o022 == 0 && access(path, W_OK | X_OK) == 0
  }

  /// The folder for files that can be made again: `carrel` in `XDG_CACHE_HOME`, else in `.cache` of
  /// `HOME`, else a folder of this user in `/tmp`; the first that can be used.
  ///
  /// A library in it is named in `LD_PRELOAD`, which has no way to write a space, a colon or a
  /// dollar sign (ld.so(8)), so a folder with one of them in its path cannot be used.
  ///
  /// - Throws: ``WorkersError`` with code `container` when there is none.
  package static func cache(environment: [String: String]) throws(WorkersError) -> String {
    var candidates: [String] = []
    if let folder = environment["XDG_CACHE_HOME"], folder.hasPrefix("/") {
      candidates.append(folder + "/carrel")
    }
    if let home = environment["HOME"], home.hasPrefix("/") {
      candidates.append(home + "/.cache/carrel")
    }
    candidates.append("/tmp/carrel-cache-\(getuid())")
    for candidate in candidates
    where !candidate.contains(where: { " :$".contains($0) }) && make(candidate) {
      return candidate
    }
    throw WorkersError(
      .container,
      "no folder for files that are kept between runs: none of \(candidates.joined(separator: ", "))"
        + " can be made, belongs to this user, is closed to others and has no space, colon or dollar "
        + "sign in its path; set XDG_CACHE_HOME")
  }
}
