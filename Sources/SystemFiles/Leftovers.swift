import Glibc

/// Files and folders under names of their own that are not complete yet, and what is left of them
/// when their process was killed.
///
/// Such a name is `.carrel-PID-RANDOM.tmp` or, for a folder, `.carrel-PID-RANDOM.partial`. Whoever
/// makes one holds a lock on it (flock(2)) until it is renamed or removed; the kernel gives the
/// lock back when the process ends, however it ends. A link cannot be locked; the PID stands for
/// its owner.
package enum Leftovers {
  package enum Kind: String, Sendable {
    case file = "tmp"
    case folder = "partial"
  }

  /// A fresh name.
  package static func name(_ kind: Kind) -> String {
    ".carrel-\(getpid())-\(randomText(12)).\(kind.rawValue)"
  }

  /// Locks what was just made.
  ///
  /// - Returns: `false` when somebody took it for a leftover in between; then it is gone, or soon.
  static func claim(_ descriptor: Int32, _ path: String) -> Bool {
    if flock(descriptor, LOCK_EX | LOCK_NB) != 0 { return errno != EWOULDBLOCK }
    var own = stat()
    var named = stat()
    return fstat(descriptor, &own) == 0 && lstat(path, &named) == 0
      && own.identity == named.identity
  }

  /// Removes what killed processes left in a folder; nothing that is still under way, and nothing
  /// with other names.
  package static func remove(in folder: String) {
    for name in folderEntries(folder) ?? [] {
      guard let owner = owner(of: name) else { continue }
      let path = "\(folder)/\(name)"
      var status = stat()
      guard lstat(path, &status) == 0, status.st_uid == geteuid() else { continue }
      if status.isLink {
        if kill(owner, 0) != 0 && errno == ESRCH { unlink(path) }
        continue
      }
      guard status.isRegular || status.isFolder,
        let file = try? OwnedDescriptor(
          opening: path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY),
        flock(file.number, LOCK_EX | LOCK_NB) == 0
      else { continue }
      removeTree(path)
    }
  }

  /// The PID in a name of this form; `nil` for any other name.
  static func owner(of name: String) -> Int32? {
    let parts = name.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0] == ".carrel", let owner = Int32(parts[1]), owner > 0 else {
      return nil
    }
    let last = parts[2].split(separator: ".", omittingEmptySubsequences: false)
    guard last.count == 2, Kind(rawValue: String(last[1])) != nil, !last[0].isEmpty,
      last[0].utf8.allSatisfy({ (48...57).contains($0) || (97...102).contains($0) })
    else { return nil }
    return owner
  }
}
