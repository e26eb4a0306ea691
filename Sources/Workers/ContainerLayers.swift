import Glibc
package import SystemFiles

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
