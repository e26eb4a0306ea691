import CSystem
import Glibc
import SystemFiles

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
  func create(over template: Container) throws(WorkersError) {
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
  func fillClone(from template: Container) throws(WorkersError) {
    try makeEmpty(evidence, keeping: [lastComponent(of: attachments)])
    try makeEmpty(attachments)
    try asWorkersError(.container) { () throws(FileError) in
      try copyTree(template.index, to: index)
    }
  }

  /// Empties the layers of home and temporary folder, and removes all others.
  ///
  /// - Parameter folders: Whose permissions and times of change the upper ones have.
  func clearLayers(like folders: [String]) throws(WorkersError) {
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
  func makeEmpty(_ path: String, keeping kept: [String] = []) throws(WorkersError) {
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
  func clear(_ folder: String, keeping kept: [String]) throws(WorkersError) {
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
