import Glibc
import SystemFiles

/// A container that was made from a template, and can be made so again after a batch at the price
/// of what the batch has written: making folders and files is slow on file systems on which many
/// were just removed.
struct ContainerClone: Sendable {
  enum Contents: Sendable {
    case layers(ContainerLayers)
    case copies(home: TreeCopy, temporary: TreeCopy)
  }

  private let template: Container
  private let identity: FileIdentity
  var contents: Contents

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
