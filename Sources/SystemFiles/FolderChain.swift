import Glibc

/// Open folders on the way from a root to the folder that was asked for last.
///
/// Paths that follow each other in a tree share most of their folders, so each is opened about
/// once. Of a deep path only the last ``openFolders`` stay open.
package struct FolderChain: ~Copyable {
  private struct Link {
    var name: ArraySlice<UInt8>
    /// −1 while it is closed to spare descriptors.
    var descriptor: Int32
  }

  private static let openFolders = 64

  private let root: Int32
  private var links: [Link] = []

  /// - Parameter root: An open folder; stays open.
  package init(root: Int32) { self.root = root }

  deinit {
    for link in links where link.descriptor >= 0 { close(link.descriptor) }
  }

  /// Opens the folder at a path below the root, without following links.
  ///
  /// - Parameters:
  ///   - names: The path's components.
  ///   - mode: The mode of folders that are made when they are missing; `nil` to make none.
  /// - Returns: A descriptor that is valid until the next call, and the root's for an empty path.
  package mutating func folder(
    _ names: some RandomAccessCollection<ArraySlice<UInt8>>, making mode: UInt32?
  ) throws(Blocked) -> Int32 {
    let shared = zip(links, names).prefix { $0.name == $1 }.count
    for link in links[shared...] where link.descriptor >= 0 { close(link.descriptor) }
    links.removeSubrange(shared...)
    let position = links.lastIndex { $0.descriptor >= 0 }.map { $0 + 1 } ?? 0
    var current = position == 0 ? root : links[position - 1].descriptor
    for (index, name) in names.enumerated().dropFirst(position) {
      current = try open(name, in: current, making: mode)
      if index < links.count {
        links[index].descriptor = current
      } else {
        links.append(Link(name: name, descriptor: current))
      }
      closeOld(index - Self.openFolders)
    }
    return current
  }

  private mutating func closeOld(_ index: Int) {
    guard index >= 0, links[index].descriptor >= 0 else { return }
    close(links[index].descriptor)
    links[index].descriptor = -1
  }

  /// Why a folder cannot be opened.
  package struct Blocked: Error {
    /// What stands in the way when something that is no folder does.
    package enum Obstacle: Sendable { case link, file }

    package var failure: SystemFailure
    package var obstacle: Obstacle?
  }

  private func open(
    _ name: ArraySlice<UInt8>, in folder: Int32, making mode: UInt32?
  ) throws(Blocked) -> Int32 {
    let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW
    do throws(SystemFailure) {
      do throws(SystemFailure) {
        return try OwnedDescriptor(at: folder, name, flags).release()
      } catch {
        guard error.number == ENOENT, let mode else { throw error }
        try withPath(name) { (pointer) throws(SystemFailure) in
          _ = try retrying { mkdirat(folder, pointer, mode) }
        }
        return try OwnedDescriptor(at: folder, name, flags).release()
      }
    } catch {
      guard error.number == ENOTDIR || error.number == ELOOP else {
        throw Blocked(failure: error, obstacle: nil)
      }
      let isLink = (try? status(of: Array(name), in: folder))?.isLink ?? false
      throw Blocked(failure: error, obstacle: isLink ? .link : .file)
    }
  }
}
