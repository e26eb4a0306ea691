import CSystem
import Glibc

/// What of a tree could not be removed.
package struct RemovalFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The first that could not be removed, in the order in which it was tried.
  package var path: String
  package var reason: SystemFailure
  /// How many could not be removed on their own account: folders that only hold such do not count.
  package var count: Int

  /// `cannot remove 'PATH' and 3 more: REASON`.
  package var description: String {
    "cannot remove '\(shownPath)'\(count > 1 ? " and \(count - 1) more" : ""): \(reason)"
  }

  /// The path without its middle when it is very long.
  private var shownPath: String {
    path.count <= 400 ? path : "\(path.prefix(250))…\(path.suffix(100))"
  }
}

/// Removes a file, or a folder and everything below it. Nothing to remove is no failure.
///
/// Links are removed, not followed; what is mounted in the tree is not entered; folders without
/// permissions get them when they belong to the user. Neither the depth of the tree, nor the length
/// of its paths, nor the number of its entries matters: it goes from folder to folder with one
/// descriptor.
///
/// - Returns: What could not be removed; `nil` when nothing is left.
@discardableResult
package func removeTree(_ path: String) -> RemovalFailure? {
  let name = lastComponent(of: path)
  guard !name.isEmpty, name != ".", name != ".." else {
    return RemovalFailure(path: path, reason: SystemFailure(EINVAL), count: 1)
  }
  do throws(SystemFailure) {
    let above = try OwnedDescriptor(opening: folder(of: path), carrel_path_only | O_DIRECTORY)
    var remover = try TreeRemover(in: above, path: folder(of: path))
    return remover.run(only: Array(name.utf8))
  } catch {
    return error.number == ENOENT
      ? nil : RemovalFailure(path: path, reason: error, count: 1)
  }
}

/// Removes a name from an open folder, as ``removeTree(_:)`` does.
func removeEntry(_ name: [UInt8], in folder: consuming OwnedDescriptor) -> RemovalFailure? {
  do throws(SystemFailure) {
    var remover = try TreeRemover(in: folder, path: "")
    return remover.run(only: name)
  } catch {
    return RemovalFailure(path: String(decoding: name, as: UTF8.self), reason: error, count: 1)
  }
}

/// Removes a name, as ``removeTree(_:)`` does, from a folder.
///
/// - Parameter name: Bytes: a name need not be UTF-8.
package func removeEntry(_ name: [UInt8], in path: String) -> RemovalFailure? {
  do throws(SystemFailure) {
    return removeEntry(
      name, in: try OwnedDescriptor(opening: path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW))
  } catch {
    return RemovalFailure(path: path, reason: error, count: 1)
  }
}

/// Removes everything in an open folder, as ``removeTree(_:)`` does.
///
/// - Parameter path: What the folder is called in the failure.
package func emptyFolder(_ folder: Int32, path: String) -> RemovalFailure? {
  do throws(SystemFailure) {
    let root = try OwnedDescriptor(at: folder, [UInt8(ascii: ".")], O_RDONLY | O_DIRECTORY)
    var remover = try TreeRemover(in: root, path: path)
    return remover.run(only: nil)
  } catch {
    return RemovalFailure(path: path, reason: error, count: 1)
  }
}

/// Goes down and up a tree with one open folder, and removes what it finds.
///
/// It goes up through `..`, and only when the folder there is the one that it came from.
private struct TreeRemover: ~Copyable {
  /// A folder that is left to do.
  private struct Pending {
    var name: [UInt8]
    /// How often it was gone through already.
    var rounds = 0
  }

  /// A folder on the way from the root.
  private struct Level {
    var folder: Pending
    var identity: FileIdentity
    /// Folders in it that could not be removed at once.
    var pending: [Pending] = []
    /// Number of failures when it was entered.
    var failures: Int
  }

  /// How often a folder is gone through in which something new appears.
  private static let maxRounds = 4

  private let path: String
  private var current: Int32
  private var levels: [Level]
  private var failure: RemovalFailure?
  private var failures: Int { failure?.count ?? 0 }

  /// - Parameter path: What the folder is called in failures.
  init(in root: consuming OwnedDescriptor, path: String) throws(SystemFailure) {
    let identity = try root.status().identity
    self.path = path
    current = root.release()
    levels = [Level(folder: Pending(name: []), identity: identity, failures: 0)]
  }

  deinit { close(current) }

  /// - Parameter name: What to remove of the root; `nil` for everything in it.
  mutating func run(only name: [UInt8]?) -> RemovalFailure? {
    if let name { remove(name) } else { sweep() }
    while true {
      if let next = levels[levels.count - 1].pending.popLast() {
        enter(next)
      } else if levels.count == 1 || !leave() {
        return failure
      }
    }
  }

  /// Removes what can be removed at once of the open folder.
  private mutating func sweep() {
    do throws(SystemFailure) {
      for name in try listFolder(current) { remove(name) }
    } catch {
      note(nil, error.number)
    }
  }

  /// Removes a name, or adds it to the folders that are left to do.
  private mutating func remove(_ name: [UInt8]) {
    let first = unlink(name, 0)
    // Linux says EISDIR, POSIX EPERM, for a folder.
    guard first == EISDIR || first == EPERM else {
      if first != 0 { note(name, first) }
      return
    }
    switch unlink(name, AT_REMOVEDIR) {
    case 0: break
    case ENOTEMPTY, EEXIST: levels[levels.count - 1].pending.append(Pending(name: name))
    case ENOTDIR: note(name, first)
    // EBUSY: something is mounted there, and what is mounted is not part of the tree.
    case let number: note(name, number)
    }
  }

  /// - Returns: 0 when the name is gone, else the value of `errno`.
  private func unlink(_ name: [UInt8], _ flags: Int32) -> Int32 {
    withPath(name) { unlinkat(current, $0, flags) == 0 || errno == ENOENT ? 0 : errno }
  }

  /// Goes into a folder and sweeps it.
  private mutating func enter(_ folder: Pending) {
    do throws(SystemFailure) {
      let next = try openFolder(folder.name)
      var status = try next.status()
      if status.st_mode & 0o700 != 0o700 {
        fchmod(next.number, 0o700)
        status = try next.status()
      }
      close(current)
      current = next.release()
      levels.append(Level(folder: folder, identity: status.identity, failures: failures))
      sweep()
    } catch {
      switch error.number {
      case ENOENT: break
      // It is no folder any more.
      case ENOTDIR, ELOOP:
        let number = unlink(folder.name, 0)
        if number != 0 { note(folder.name, number) }
      case let number: note(folder.name, number)
      }
    }
  }

  private func openFolder(_ name: [UInt8]) throws(SystemFailure) -> OwnedDescriptor {
    let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW
    do throws(SystemFailure) {
      return try OwnedDescriptor(at: current, name, flags)
    } catch {
      guard error.number == EACCES else { throw error }
      // chmod(2) would follow a link that took the folder's place; this leads to the folder itself.
      let handle = try OwnedDescriptor(
        at: current, name, carrel_path_only | O_DIRECTORY | O_NOFOLLOW)
      guard chmod("/proc/self/fd/\(handle.number)", 0o700) == 0 else { throw error }
      return try OwnedDescriptor(at: current, name, flags)
    }
  }

  /// Goes up from a folder that was gone through, and removes it.
  ///
  /// - Returns: `false` when there is no way up, because the folder was moved meanwhile.
  private mutating func leave() -> Bool {
    let done = levels[levels.count - 1]
    do throws(SystemFailure) {
      let above = try OwnedDescriptor(
        at: current, [46, 46], carrel_path_only | O_DIRECTORY | O_NOFOLLOW)
      guard try above.status().identity == levels[levels.count - 2].identity else {
        throw SystemFailure(ENOENT)
      }
      close(current)
      current = above.release()
    } catch {
      note(nil, error.number)
      return false
    }
    levels.removeLast()
    switch unlink(done.folder.name, AT_REMOVEDIR) {
    case 0: break
    case ENOTEMPTY, EEXIST:
      guard failures == done.failures else { break }
      guard done.folder.rounds < Self.maxRounds else {
        note(done.folder.name, ENOTEMPTY)
        break
      }
      let again = Pending(name: done.folder.name, rounds: done.folder.rounds + 1)
      levels[levels.count - 1].pending.append(again)
    case let number: if failures == done.failures { note(done.folder.name, number) }
    }
    return true
  }

  /// Counts a failure; of the first one the path is kept.
  ///
  /// - Parameter name: A name in the open folder; `nil` for the folder itself.
  private mutating func note(_ name: [UInt8]?, _ number: Int32) {
    guard failure == nil else {
      failure?.count += 1
      return
    }
    var names = levels.dropFirst().map(\.folder.name)
    if let name { names.append(name) }
    let below = String(
      decoding: Array(names.joined(separator: [UInt8(ascii: "/")])), as: UTF8.self)
    let path = names.isEmpty ? path : path == "/" ? "/\(below)" : "\(path)/\(below)"
    failure = RemovalFailure(path: path, reason: SystemFailure(number), count: 1)
  }
}
