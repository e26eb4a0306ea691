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

  /// Finds out with real files why files of a folder cannot share their blocks; `nil` when they can.
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
    return carrel_clone_file(from, to, 0o600) == 0 ? nil : SystemFailure(errno)
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

  /// Makes sure that it is as it was.
  ///
  /// - Throws: ``WorkersError`` with code `container` when somebody has written to it.
  func check() throws(WorkersError) {
    guard Self.stamps(of: container) == stamps else {
      throw WorkersError(
        .container, "somebody has written to the data that all attempts start with, outside of "
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

  /// What the container's processes see in the places of its home and temporary folder.
  package func binds(of container: Container) -> [Sandbox.Bind] {
    zip(Container.layered, [template.home, template.temporary]).map { name, lower in
      .init(lower, at: "\(container.view)/\(name)", layer: container.layer(name))
    }
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

  /// Bytes on the disk of the files that the container's processes see, besides those in its folder.
  ///
  /// - Parameter limit: Counting ends when more has been found.
  package func size(of container: Container, limit: Int) -> Int {
    trees(of: container).reduce(0) { size, tree in
      size > limit ? size : size + tree.lowerSize(limit: limit - size)
    }
  }
}

/// A container that was made from a template.
enum ContainerClone: Sendable {
  case layered(ContainerLayers)
  case copied(ContainerCopy)

  var layers: ContainerLayers? { if case .layered(let layers) = self { layers } else { nil } }
  var copy: ContainerCopy? { if case .copied(let copy) = self { copy } else { nil } }

  /// - Parameter used: What has the container's place now.
  /// - Throws: ``WorkersError`` with code `container`.
  static func make(
    _ container: Container, from template: ContainerTemplate, by way: CloneWay,
    reusing used: ContainerClone?
  ) throws(WorkersError) -> ContainerClone {
    // Nobody in a sandbox sees the template.
    if way != .overlay { try template.check() }
    if way != .overlay, var copy = used?.copy, copy.template == template.container {
      do throws(WorkersError) {
        try copy.restore(container)
        return .copied(copy)
      } catch {
        // Whatever is in the way of that is in the way of a new one, or is not.
      }
    }
    if let failure = removeTree(container.root) {
      throw WorkersError(.container, "cannot make a new container", cause: failure)
    }
    guard way == .overlay else {
      return .copied(try ContainerCopy(container, of: template.container))
    }
    return .layered(try ContainerLayers.make(container, over: template))
  }
}

/// A container with copies of a template's files.
struct ContainerCopy: Sendable {
  let template: Container
  private let identity: FileIdentity
  private var home: TreeCopy
  private var temporary: TreeCopy

  /// - Throws: ``WorkersError`` with code `container`, also when the container exists already.
  init(_ container: Container, of template: Container) throws(WorkersError) {
    self.template = template
    guard mkdir(container.root, 0o700) == 0, let identity = FileIdentity(path: container.root) else {
      throw container.failure(errno, "cannot make \(container.root)")
    }
    self.identity = identity
    do throws(FileError) {
      home = try TreeCopy(of: template.home, at: container.home)
      temporary = try TreeCopy(of: template.temporary, at: container.temporary)
    } catch {
      throw WorkersError(.container, error)
    }
    try container.fillClone(from: template)
  }

  /// Makes the container as it was when it was new.
  mutating func restore(_ container: Container) throws(WorkersError) {
    var status = stat()
    guard lstat(container.root, &status) == 0, status.isFolder, status.identity == identity,
      let folder = try? OwnedDescriptor(opening: container.root, O_RDONLY | O_DIRECTORY),
      let names = try? listFolder(folder.number)
    else { throw WorkersError(.container, "\(container.root) is not what it was") }
    let copied = Container.layered.map { Array($0.utf8) }
    for name in names where !copied.contains(name) {
      if let failure = removeEntry(name, in: container.root) {
        throw WorkersError(.container, "cannot make a new container", cause: failure)
      }
    }
    do throws(FileError) {
      try home.restore()
      try temporary.restore()
    } catch {
      throw WorkersError(.container, error)
    }
    guard chmod(container.root, 0o700) == 0 else {
      throw container.failure(errno, "cannot make \(container.root) again")
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
    for folder in [evidence, attachments] where mkdir(folder, 0o700) != 0 {
      throw failure(errno, "cannot make \(folder)")
    }
    try asWorkersError(.container) { () throws(FileError) in
      try copyTree(template.index, to: index)
    }
  }
}
