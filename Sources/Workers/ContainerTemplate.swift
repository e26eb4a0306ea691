import SystemFiles

/// A container whose contents others start with. Nobody may write to it.
package struct ContainerTemplate: Sendable {
  package let container: Container
  private let stamps: [FileStamp]

  /// - Parameter container: Sockets, FIFOs and devices in it are removed: no clone has them.
  /// - Throws: ``WorkersError`` with code `container` when not all of it can be looked at.
  package init(_ container: Container) throws(WorkersError) {
    self.container = container
    try asWorkersError(.container) { () throws(FileError) in
      for path in [container.home, container.temporary] { try removeSpecialFiles(path) }
    }
    guard let stamps = Self.stamps(of: container) else {
      throw WorkersError(
        .container, "not everything in '\(container.root)' can be read",
        context: ["path": container.root])
    }
    self.stamps = stamps
  }

  /// Whether copying it is cheaper than mounting overlays: at most 100 files and folders, and
  /// 4 MiB.
  package var isSmall: Bool {
    stamps.count <= 100 && stamps.reduce(0) { $0 + Int($1.size) } <= 4 << 20
  }

  /// Makes sure that it is as it was.
  ///
  /// - Throws: ``WorkersError`` with code `container` when somebody has written to it.
  func check() throws(WorkersError) {
    guard Self.stamps(of: container) == stamps else {
      throw WorkersError(
        .container,
        "somebody has written to the data that all attempts start with, outside of "
          + "their own container", context: ["path": container.root],
        advice: "--isolation sandbox keeps tests from that")
    }
  }

  private static func stamps(of container: Container) -> [FileStamp]? {
    var result: [FileStamp] = []
    for path in [container.home, container.temporary, container.index] {
      guard let stamps = treeStamps(path) else { return nil }
      result += stamps
    }
    return result
  }
}
