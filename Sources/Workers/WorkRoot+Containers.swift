import Glibc
import SystemFiles

/// The containers of batches.
extension WorkRoot {
  /// Where the container of a worker's current batch lies.
  package func container(worker: Int) -> Container {
    Container(root: "\(path)/w\(worker)", view: view)
  }

  /// Gives a worker a fresh container for its next batch.
  ///
  /// A container that the batch before left exactly as it was made is as fresh as a new one, and is
  /// kept: making and removing a dozen folders for each of a thousand processes costs more than the
  /// rest of starting them (docs/decisions/0003-fresh-containers.md).
  ///
  /// - Parameter indexTemplate: Path of an empty index.
  /// - Throws: ``WorkersError`` with code `container`.
  package func prepare(worker: Int, indexTemplate: String) throws(WorkersError) -> Container {
    let container = container(worker: worker)
    if isUnused(container) { return container }
    try restore()
    forget(container)
    if let failure = removeTree(container.root) {
      throw WorkersError(.container, "cannot make a new container", cause: failure)
    }
    if template < 0 { template = open(indexTemplate, O_RDONLY | O_CLOEXEC) }
    try container.create(
      indexTemplate: template < 0 ? indexTemplate : "/proc/self/fd/\(template)")
    try makeHomePlaces(in: container)
    fingerprints[container] = fingerprint(of: container)
    return container
  }

  /// Mounts need something in their places; made before anybody uses the container, so that it can
  /// be seen to be untouched.
  private func makeHomePlaces(in container: Container) throws(WorkersError) {
    try asWorkersError(.container) { () throws(FileError) in
      for place in homePlaces {
        let path = "\(container.home)/\(place.name)"
        try makeFolders(place.isFolder ? path : folder(of: path), mode: 0o700)
        if !place.isFolder { try writeSmallFile(path, [], mode: 0o600) }
      }
    }
  }

  private func fingerprint(of container: Container) -> Container.Fingerprint? {
    homePlaces.isEmpty ? container.fingerprint() : container.fullFingerprint()
  }

  /// Gives a worker a container for its next batch that has what a template has.
  ///
  /// A clone that the batch before has left is made as it was instead of anew.
  ///
  /// - Parameters:
  ///   - way: Must be one that works here.
  ///   - handler: Called by the loop, with a ``WorkersError`` with code `container` when it cannot
  ///     be made, or somebody has written to the template.
  package func prepare(
    worker: Int, from template: ContainerTemplate, by way: CloneWay, in loop: EventLoop,
    then handler: @escaping (WorkersError?) -> Void
  ) {
    let container = container(worker: worker)
    do throws(WorkersError) {
      try restore()
    } catch {
      return handler(error)
    }
    let used = clones[container]
    forget(container)
    loop.inBackground {
      Result { () throws(WorkersError) in
        try ContainerClone.make(container, from: template, by: way, reusing: used)
      }
    } then: { [weak self] result in
      switch result {
      case .success(let clone):
        self?.clones[container] = clone
        handler(nil)
      case .failure(let error): handler(error)
      }
    }
  }

  /// Forgets what is known of a container, because it becomes another one.
  private func forget(_ container: Container) {
    fingerprints[container] = nil
    filled[container] = nil
    clones[container] = nil
  }

  /// Whether a container is as it was made; what tells its batch the tests is removed.
  private func isUnused(_ container: Container) -> Bool {
    guard let known = fingerprints[container], isInPlace, !container.hasLayers,
      container.removeSelection()
    else { return false }
    return fingerprint(of: container) == known
  }

  /// What a worker's container consists of when that is more than its folders.
  package func layers(of container: Container) -> ContainerLayers? { clones[container]?.layers }

  /// Whether a container was made from a template; the next batch gets it as it was then.
  package func isClone(_ container: Container) -> Bool { clones[container] != nil }

  /// Notes what a worker's container holds now, for ``isUntouched(worker:)``.
  package func noteContents(worker: Int) {
    let container = container(worker: worker)
    fingerprints[container] = nil
    filled[container] = container.fullFingerprint(layers(of: container))
  }

  /// Whether nobody has touched a worker's container since it was prepared.
  package func isUntouched(worker: Int) -> Bool {
    let container = container(worker: worker)
    if let filled = filled[container] {
      return container.fullFingerprint(layers(of: container)) == filled
    }
    guard let known = fingerprints[container] else { return false }
    return fingerprint(of: container) == known
  }

  /// Takes a container from its worker after a batch.
  ///
  /// - Parameter keepsFiles: Whether its files are still needed.
  /// - Returns: Its new path, when it has files that the caller must remove; `nil` when it can be
  ///   given to the next batch.
  package func retire(_ container: Container, keepsFiles: Bool) -> String? {
    if !keepsFiles, isUnused(container) || isClone(container) && isInPlace {
      return nil
    }
    forget(container)
    retired += 1
    let target = "\(path)/done-\(retired)"
    if isInPlace, rename(container.root, target) == 0 { return target }
    // It is gone. Its old path may belong to the next batch when the caller removes this one.
    try? restore()
    mkdir(target, 0o700)
    return target
  }
}
