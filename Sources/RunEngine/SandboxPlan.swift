import Glibc
import RunModel
import SystemFiles
package import Workers

/// How strongly the batches of a run are to be kept apart, as somebody asked for it.
package struct IsolationRequest: Hashable, Sendable {
  /// `nil` for the default.
  package var level: IsolationLevel?
  package var network: SandboxNetwork
  /// Absolute paths outside of the container that tests may write to in a sandbox.
  package var writable: [String]
  /// Absolute paths of folders outside of the container that tests seem to write to in a sandbox:
  /// what they write ends with the batch.
  package var scratch: [String]
  /// Paths of the user's home folder, relative to it, that tests see in theirs.
  package var home: [String]
  /// How containers come to have the data of a seed intent; `nil` for the cheapest way that works.
  package var clone: CloneWay?

  package init(
    level: IsolationLevel? = nil, network: SandboxNetwork = .loopback, writable: [String] = [],
    scratch: [String] = [], home: [String] = [], clone: CloneWay? = nil
  ) {
    self.level = level
    self.network = network
    self.writable = writable
    self.scratch = scratch
    self.home = home
    self.clone = clone
  }
}

extension IsolationRequest {
  /// Puts other paths in the place of those that can be written to.
  mutating func move(_ path: (String) -> String) {
    writable = writable.map(path)
    scratch = scratch.map(path)
  }
}

/// What the sandboxes of a run have in common.
package struct SandboxPlan: Sendable {
  /// Where every process of a sandbox sees its batch's container: the same for all, short, so that
  /// sockets fit into the 107 bytes of `sun_path` (unix(7)).
  package static let view = "/tmp/carrel"
  private static let hidden = SandboxFolders.hidden
  private static let users = "/etc/passwd"
  /// Paths that can be named; a sandbox has 64 (`highest_bind_count` of CSystem), some of its own.
  private static let mostPaths = 24

  let network: SandboxNetwork
  private var binds: [Sandbox.Bind] = []
  private var covers: [String] = []
  /// Folders of which each batch has an overlay, with the place where it is seen.
  private var scratch: [(path: String, target: String)] = []
  /// What tests see of the user's home folder, by its place in that of the container.
  package private(set) var homePlaces: [WorkRoot.HomePlace] = []
  private let privateSize: UInt64?
  /// Where a path is seen in sandboxes that lies elsewhere outside of them.
  let seen: @Sendable (String) -> String

  /// - Parameters:
  ///   - needed: Absolute paths that processes have to see.
  ///   - folder: The folder of the run's containers; files for all sandboxes are made there.
  ///   - privateSize: Bytes that each private folder holds at most; `nil` for half of the memory.
  ///   - userHome: The home folder of the user, absolute; `nil` when nobody knows it.
  ///   - seen: Where a path is seen in sandboxes, when that is elsewhere.
  /// - Throws: ``WorkersError`` with code `container` when they cannot be made, and with code
  ///   `sandbox` when a path cannot be writable, or shown.
  package init(
    _ request: IsolationRequest, needed: [String], folder: String, privateSize: UInt64? = nil,
    userHome: String? = nil, seen: @escaping @Sendable (String) -> String = { $0 }
  ) throws(WorkersError) {
    self.seen = seen
    network = request.network
    self.privateSize = privateSize
    if !Self.isHidden(folder) { covers.append(folder) }
    // Covered as well, when it is no private folder itself.
    func isCovered(_ path: String) -> Bool {
      Self.isHidden(path) || path.hasPrefix(folder + "/")
    }
    guard request.writable.count + request.scratch.count + request.home.count <= Self.mostPaths
    else {
      throw WorkersError(
        .sandbox, "at most \(Self.mostPaths) paths can be writable, scratch or of the home folder",
        advice: "name a folder that holds several of them")
    }
    var writable: Set<String> = []
    for path in request.writable {
      // As an empty folder that is in no repository.
      if existingPath(path) == nil {
        try asWorkersError(.sandbox) { () throws(FileError) in try makeFolders(path, mode: 0o777) }
      }
      writable.insert(try Self.place(path))
    }
    for path in request.scratch {
      let resolved = try Self.scratchPlace(path)
      guard !writable.contains(resolved) else {
        throw WorkersError(
          .sandbox, "'\(path)' cannot be both writable and scratch", context: ["path": path],
          advice: "name it with one of the options")
      }
      if !scratch.contains(where: { $0.path == resolved }) {
        scratch.append((resolved, seen(resolved)))
      }
    }
    try showHome(request.home, of: userHome, writable: writable)
    var known: Set<String> = []
    // A folder comes before what lies in it.
    for path in Set(needed.compactMap { existingPath($0) }).sorted()
    where isCovered(path) && !known.contains(where: { path.hasPrefix($0 + "/") }) {
      known.insert(path)
      binds.append(.init(path, isWritable: writable.contains(path)))
    }
    for path in Set(needed).sorted() where seen(path) != path {
      binds.append(.init(path, at: seen(path), isWritable: writable.contains(path)))
    }
    for path in writable.sorted() where !known.contains(path) {
      binds.append(.init(path, at: seen(path), isWritable: true))
    }
    // A link to it is followed by its own name, too.
    for path in request.writable where Self.isHidden(path) {
      if let resolved = existingPath(path), resolved != path, !known.contains(path) {
        binds.append(.init(resolved, at: path, isWritable: true))
      }
    }
    guard access(Self.users, R_OK) == 0 else { return }
    let own = folder + "/passwd"
    let bytes = Self.users(readSmallFile(Self.users) ?? [], home: Self.view + "/home")
    try asWorkersError(.container) { () throws(FileError) in
      try writeSmallFile(own, bytes, mode: 0o644)
    }
    binds.append(.init(own, at: Self.users))
  }

  private mutating func showHome(
    _ names: [String], of userHome: String?, writable: Set<String>
  ) throws(WorkersError) {
    guard !names.isEmpty else { return }
    let home = try Self.homeView(
      names, of: userHome, writable: writable, scratch: scratch.map(\.path))
    binds += home.binds
    scratch += home.scratch
    homePlaces = home.places
  }

  /// The sandbox of a container. Makes the folders of its overlays anew.
  ///
  /// - Parameter layers: What the container consists of when that is more than its folders.
  /// - Throws: ``WorkersError`` with code `container`.
  package func configuration(
    for container: Container, layers: ContainerLayers? = nil
  ) throws(WorkersError) -> Sandbox.Configuration {
    var own = [Sandbox.Bind(container.root, at: Self.view, isWritable: true)]
    own += try layers?.binds(of: container) ?? []
    var overlays: [Sandbox.Bind] = []
    for (index, (path, target)) in scratch.enumerated() {
      let name = "scratch-\(index + 1)"
      if let failure = removeTree("\(container.layers)/\(name)") {
        throw WorkersError(.container, "an overlay cannot be made anew", cause: failure)
      }
      try container.makeLayer(name, like: path)
      overlays.append(.init(path, at: target, layer: container.layer(name)))
    }
    if layers != nil || !overlays.isEmpty { own.append(container.layersCover) }
    return .init(
      binds: own + Self.ordered(binds, overlays), covers: covers, network: network,
      privateSize: privateSize)
  }

  /// Puts overlays among other binds: a folder before what lies in it.
  private static func ordered(
    _ binds: [Sandbox.Bind], _ overlays: [Sandbox.Bind]
  ) -> [Sandbox.Bind] {
    guard !overlays.isEmpty else { return binds }
    return (binds + overlays).enumerated()
      .map { (depth: $1.target.split(separator: "/").count, number: $0, bind: $1) }
      .sorted { ($0.depth, $0.number) < ($1.depth, $1.number) }.map(\.bind)
  }

  /// Whether somebody has allowed to write there.
  func isWritable(_ path: String) -> Bool {
    (binds.filter(\.isWritable).map(\.target) + scratch.map(\.target))
      .contains { $0 == path || path.hasPrefix($0 + "/") }
  }

  /// Where a path leads that tests may write to.
  private static func place(_ path: String) throws(WorkersError) -> String {
    guard let resolved = existingPath(path) else {
      throw WorkersError(
        .sandbox, "'\(path)' shall be seen in sandboxes, and is not there",
        context: ["path": path], advice: "make it before the run")
    }
    let machine = ["/dev", "/proc", "/sys"].first {
      resolved == $0 || resolved.hasPrefix($0 + "/")
    }
    if let machine, !isHidden(resolved) {
      throw WorkersError(
        .sandbox,
        "'\(path)' cannot be writable in sandboxes: what is in \(machine) is the machine's",
        context: ["path": path],
        advice: "'--isolation processes' lets tests do what the user may do")
    }
    guard !holdsPrivateFolders(resolved) else {
      throw WorkersError(
        .sandbox,
        "'\(path)' cannot be writable in sandboxes: it is, or holds, a folder that each of them "
          + "has for itself",
        context: ["path": path], advice: "name the folder in it that tests write to")
    }
    return resolved
  }

  /// Where a path leads of which each batch has an overlay.
  private static func scratchPlace(_ path: String) throws(WorkersError) -> String {
    let resolved = try place(path)
    var status = stat()
    guard stat(resolved, &status) == 0, status.isFolder else {
      throw WorkersError(
        .sandbox, "'\(path)' cannot be scratch in sandboxes: it is no folder",
        context: ["path": path], advice: "name the folder that it lies in")
    }
    // It would be seen under one of its names only, or the two would differ.
    guard resolved == path || !isHidden(path) else {
      throw WorkersError(
        .sandbox,
        "'\(path)' cannot be scratch in sandboxes: it leads through a link to "
          + "'\(resolved)'", context: ["path": path], advice: "name '\(resolved)'")
    }
    return resolved
  }

  static func holdsPrivateFolders(_ path: String) -> Bool {
    path == "/" || (hidden + ["/dev", "/proc"]).contains { $0 == path || $0.hasPrefix(path + "/") }
  }

  static func isHidden(_ path: String) -> Bool {
    hidden.contains { path == $0 || path.hasPrefix($0 + "/") }
  }

  /// The user database (passwd(5)) with another home folder for the current user.
  static func users(_ bytes: [UInt8], user: uid_t = geteuid(), home: String) -> [UInt8] {
    var lines = bytes.split(separator: 10).map { String(decoding: $0, as: UTF8.self) }
    var isThere = false
    for index in lines.indices {
      var fields = lines[index].split(separator: ":", omittingEmptySubsequences: false)
      guard fields.count == 7, fields[2] == "\(user)" else { continue }
      fields[5] = Substring(home)
      lines[index] = fields.joined(separator: ":")
      isThere = true
    }
    if !isThere { lines.append("user:x:\(user):\(getegid())::\(home):/bin/sh") }
    return lines.flatMap { Array("\($0)\n".utf8) }
  }
}
