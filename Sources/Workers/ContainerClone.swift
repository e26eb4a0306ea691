import CSystem
import Glibc
package import SystemFiles

/// How containers come to have what a template has, the cheapest first; see
/// docs/decisions/0013-container-clones.md.
package enum CloneWay: String, Codable, CaseIterable, Sendable {
  /// The template is seen through an overlay in the sandbox of each batch.
  case overlay
  /// Files are copied and share their blocks until they are written to.
  case reflink
  /// Files are copied.
  case copy

  /// Finds out with real files why files of a folder cannot share blocks; `nil` when they can.
  package static func reflinkProblem(in folder: String) -> SystemFailure? {
    let (from, to) = ("\(folder)/reflink-check", "\(folder)/reflink-check-2")
    defer {
      unlink(from)
      unlink(to)
    }
    do throws(FileError) {
      try writeSmallFile(from, [UInt8](repeating: 1, count: 1 << 16))
    } catch {
      return SystemFailure(error.errorNumber)
    }
    return carrel_copy_file(from, to, 0o600, true) == 0 ? nil : SystemFailure(errno)
  }
}

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

  /// Whether copying it is cheaper than mounting overlays: at most 100 files and folders, and 4 MiB.
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

/// The layers of a container whose home and temporary folder are overlays over those of a template.
package struct ContainerLayers: Hashable, Sendable {
  package let template: Container

  /// Makes a container in which processes see a template through overlays.
  ///
  /// - Throws: ``WorkersError`` with code `container`, also when the container exists already.
  package static func make(
    _ container: Container, over template: ContainerTemplate
  ) throws(WorkersError) -> ContainerLayers {
    try container.create(over: template.container)
    return ContainerLayers(template: template.container)
  }

  /// The layers of home and temporary folder.
  ///
  /// - Parameter container: The container, wherever it lies now.
  package func trees(of container: Container) -> [LayeredTree] {
    zip(Container.layered, [template.home, template.temporary]).map { name, lower in
      LayeredTree(upper: container.layer(name).upper, over: lower)
    }
  }

  /// What the container's processes see in the places of its home and temporary folder. No sandbox
  /// of the container may live.
  ///
  /// - Throws: ``WorkersError`` with code `container`.
  package func binds(of container: Container) throws(WorkersError) -> [Sandbox.Bind] {
    var binds: [Sandbox.Bind] = []
    for (name, lower) in zip(Container.layered, [template.home, template.temporary]) {
      let layer = container.layer(name)
      // The kernel notes there that the folder was used, and refuses it for that.
      try container.makeEmpty(layer.work)
      binds.append(.init(lower, at: "\(container.view)/\(name)", layer: layer))
    }
    return binds
  }

  /// Puts the layers together, so that the container has folders as any other. Its processes must
  /// have ended, and nobody may write to it afterwards: files that it has of the template are the
  /// template's.
  ///
  /// - Throws: ``WorkersError`` with code `container`.
  package func flatten(_ container: Container) throws(WorkersError) {
    for (name, tree) in zip(Container.layered, trees(of: container)) {
      try asWorkersError(.container) { () throws(FileError) in try tree.flatten() }
      let place = "\(container.root)/\(name)"
      guard rmdir(place) == 0, rename(tree.upper, place) == 0 else {
        throw container.failure(errno, "cannot put the layers of \(place) together")
      }
    }
  }

  /// Bytes on the disk of what the container's processes see, besides what is in its folder.
  ///
  /// - Parameter limit: Counting ends when more has been found.
  package func size(of container: Container, limit: Int) -> Int {
    trees(of: container).reduce(0) { size, tree in
      size > limit ? size : size + tree.lowerSize(limit: limit - size)
    }
  }
}

/// A container that was made from a template, and can be made so again after a batch at the price
/// of what the batch has written: making folders and files is slow on file systems on which many
/// were just removed.
struct ContainerClone: Sendable {
  private enum Contents: Sendable {
    case layers(ContainerLayers)
    case copies(home: TreeCopy, temporary: TreeCopy)
  }

  private let template: Container
  private let identity: FileIdentity
  private var contents: Contents

  var layers: ContainerLayers? { if case .layers(let layers) = contents { layers } else { nil } }

  /// - Parameter used: What has the container's place now.
  /// - Throws: ``WorkersError`` with code `container`.
  static func make(
    _ container: Container, from template: ContainerTemplate, by way: CloneWay,
    reusing used: ContainerClone?
  ) throws(WorkersError) -> ContainerClone {
    // Nobody in a sandbox sees the template.
    if way != .overlay { try template.check() }
    if var used, used.template == template.container, (way == .overlay) == (used.layers != nil) {
      do throws(WorkersError) {
        try used.restore(container)
        return used
      } catch {
        // What is in the way of that is removed, or is in the way of a new one, too.
      }
    }
    if let failure = removeTree(container.root) {
      throw WorkersError(.container, "cannot make a new container", cause: failure)
    }
    return try ContainerClone(container, of: template, by: way)
  }

  private init(
    _ container: Container, of template: ContainerTemplate, by way: CloneWay
  ) throws(WorkersError) {
    self.template = template.container
    if way == .overlay {
      contents = .layers(try ContainerLayers.make(container, over: template))
    } else {
      guard mkdir(container.root, 0o700) == 0 else {
        throw container.failure(errno, "cannot make \(container.root)")
      }
      do throws(FileError) {
        contents = .copies(
          home: try TreeCopy(of: template.container.home, at: container.home),
          temporary: try TreeCopy(of: template.container.temporary, at: container.temporary))
      } catch {
        throw WorkersError(.container, error)
      }
      try container.fillClone(from: template.container)
    }
    guard let identity = FileIdentity(path: container.root) else {
      throw container.failure(errno, "cannot make \(container.root)")
    }
    self.identity = identity
  }

  /// Makes the container as it was when it was new.
  ///
  /// - Throws: ``WorkersError`` with code `container`; then it is in no state that can be used.
  private mutating func restore(_ container: Container) throws(WorkersError) {
    var status = stat()
    guard lstat(container.root, &status) == 0, status.isFolder, status.identity == identity,
      chmod(container.root, 0o700) == 0
    else { throw WorkersError(.container, "\(container.root) is not what it was") }
    let kept = Container.layered + ["layers", "evidence"]
    try container.clear(container.root, keeping: kept)
    switch contents {
    case .layers: try container.clearLayers(like: [template.home, template.temporary])
    case .copies(var home, var temporary):
      do throws(FileError) {
        try home.restore()
        try temporary.restore()
      } catch {
        throw WorkersError(.container, error)
      }
      contents = .copies(home: home, temporary: temporary)
    }
    try container.fillClone(from: template)
  }
}

extension Container {
  /// The folders that a template has and that only a batch's processes write to.
  static let layered = ["home", "tmp"]

  /// Where what is written to an overlay goes.
  package func layer(_ name: String) -> Sandbox.Layer {
    Sandbox.Layer(upper: "\(layers)/\(name)/upper", work: "\(layers)/\(name)/work")
  }

  /// What hides the layers from processes.
  package var layersCover: Sandbox.Bind { Sandbox.Bind(layers + "/empty", at: view + "/layers") }

  /// Whether it has layers, or had some.
  var hasLayers: Bool {
    var status = stat()
    return lstat(layers, &status) == 0
  }

  /// Makes the folders of an overlay.
  ///
  /// - Parameters:
  ///   - name: Names it within the container.
  ///   - folder: Absolute path of the folder whose permissions and time of change it has.
  /// - Throws: ``WorkersError`` with code `container`.
  package func makeLayer(_ name: String, like folder: String) throws(WorkersError) {
    let layer = layer(name)
    for path in [layers, layers + "/empty"] where mkdir(path, 0o700) != 0 && errno != EEXIST {
      throw failure(errno, "cannot make \(path)")
    }
    for path in ["\(layers)/\(name)", layer.upper, layer.work] where mkdir(path, 0o700) != 0 {
      throw failure(errno, "cannot make \(path)")
    }
    try asWorkersError(.container) { () throws(FileError) in
      try copyAttributes(of: folder, to: layer.upper)
    }
  }

  /// Makes a container in which processes see another one's files through overlays.
  ///
  /// - Throws: ``WorkersError`` with code `container`, also when the root exists already.
  fileprivate func create(over template: Container) throws(WorkersError) {
    // In the places of home and temporary folder overlays are mounted.
    for folder in [root, home, temporary] where mkdir(folder, 0o700) != 0 {
      throw failure(errno, "cannot make \(folder)")
    }
    for (name, folder) in zip(Self.layered, [template.home, template.temporary]) {
      try makeLayer(name, like: folder)
    }
    try fillClone(from: template)
  }

  /// Makes what every clone has of its own: the index, which Carrel itself writes to, and folders
  /// for evidence.
  fileprivate func fillClone(from template: Container) throws(WorkersError) {
    try makeEmpty(evidence, keeping: [lastComponent(of: attachments)])
    try makeEmpty(attachments)
    try asWorkersError(.container) { () throws(FileError) in
      try copyTree(template.index, to: index)
    }
  }

  /// Empties the layers of home and temporary folder, and removes all others.
  ///
  /// - Parameter folders: Whose permissions and times of change the upper ones have.
  fileprivate func clearLayers(like folders: [String]) throws(WorkersError) {
    try clear(layers, keeping: Self.layered + ["empty"])
    for (name, folder) in zip(Self.layered, folders) {
      let layer = layer(name)
      for path in ["\(root)/\(name)", layer.upper, layer.work] { try makeEmpty(path) }
      try asWorkersError(.container) { () throws(FileError) in
        try copyAttributes(of: folder, to: layer.upper)
      }
    }
  }

  /// Makes a folder with nothing in it, and no attributes, out of whatever has the path.
  fileprivate func makeEmpty(_ path: String, keeping kept: [String] = []) throws(WorkersError) {
    var status = stat()
    if lstat(path, &status) == 0 {
      if status.isFolder, status.st_uid == geteuid(), status.st_gid == getegid() {
        guard chmod(path, 0o700) == 0, carrel_strip_attributes(path) == 0 else {
          throw failure(errno, "cannot empty \(path)")
        }
        return try clear(path, keeping: kept)
      }
      if let failure = removeTree(path) {
        throw WorkersError(.container, "cannot make a new container", cause: failure)
      }
    }
    guard mkdir(path, 0o700) == 0 else { throw failure(errno, "cannot make \(path)") }
  }

  /// Removes what is in a folder.
  ///
  /// - Parameter kept: Names that stay.
  fileprivate func clear(_ folder: String, keeping kept: [String]) throws(WorkersError) {
    guard
      let descriptor = try? OwnedDescriptor(opening: folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW),
      let names = try? listFolder(descriptor.number)
    else { throw WorkersError(.container, "cannot list \(folder)", advice: WorkRoot.advice) }
    let kept = kept.map { Array($0.utf8) }
    for name in names where !kept.contains(name) {
      if let failure = removeEntry(name, in: folder) {
        throw WorkersError(.container, "cannot empty \(folder)", cause: failure)
      }
    }
  }
}
