import Glibc
import RunModel
import SystemFiles
package import Workers

/// What the processes of a test are kept from, and what a person can do about it: explains
/// failures.
package struct TestSurroundings: Sendable {
  /// What there is of the network in the sandbox; `nil` without a sandbox.
  package var network: SandboxNetwork?
  /// The container as its processes see it.
  package var container: Container
  /// The home folder of the user, which tests do not have; `nil` when it is not known.
  package var userHome: String?

  /// - Parameters:
  ///   - network: `nil` without a sandbox.
  ///   - userHome: Absolute path.
  package init(network: SandboxNetwork?, container: Container, userHome: String?) {
    self.network = network
    self.container = container.seen
    self.userHome = userHome
  }

  /// Most hints of one kind.
  private static let most = 3

  /// What a test that failed was kept from, as its own process has noticed it.
  func hints(for progress: BatchTranscript.Progress) -> [String] {
    let refusals = progress.refusals.compactMap { hint(ofRefusal: $0) }
    let unseen = progress.unseen.compactMap { hint(ofUnseen: $0.part, whole: $0.whole) }
    let unreachable = progress.unreachable.compactMap { hint(ofUnreachable: $0) }
    return [refusals, unseen, unreachable].flatMap { $0.unique.prefix(Self.most) }
  }

  /// Says what a test could not write to, and how it could.
  ///
  /// - Returns: `nil` outside of a sandbox.
  package func hint(ofRefusal path: String) -> String? {
    guard network != nil else { return nil }
    let known = access(path, F_OK) == 0 ? path : folder(of: path)
    let place = Self.isFolder(known) ? known : folder(of: known)
    let scratch = "--scratch '\(place)' when what it writes may end with the batch"
    // Nobody wants tests to change the system.
    let isOfTheSystem = Self.systemFolders.contains { known == $0 || known.hasPrefix($0 + "/") }
    let advice = isOfTheSystem ? scratch : "--writable '\(known)', or with \(scratch)"
    return "the test could not write to '\(path)', which lies outside of its container and is "
      + "read-only in the sandbox; allow it with \(advice)"
  }

  private static let systemFolders = [
    "/bin", "/boot", "/etc", "/lib", "/lib64", "/opt", "/sbin", "/usr",
  ]

  /// Says what a test did not find, although it is there outside.
  ///
  /// - Parameters:
  ///   - part: The first part of the path that was not there.
  ///   - whole: The path that was looked for.
  /// - Returns: `nil` when nobody else finds it either.
  package func hint(ofUnseen part: String, whole: String) -> String? {
    if let name = Self.rest(of: whole, in: container.home) { return hint(ofHome: name) }
    guard network != nil, access(whole, F_OK) == 0 else { return nil }
    guard let hidden = SandboxFolders.hidden.first(where: { part.hasPrefix($0 + "/") }) else {
      guard part.hasPrefix("/dev/") else { return nil }
      return "the test did not find '\(part)', because each sandbox has a /dev of its own with "
        + "harmless devices only; '--isolation processes' shows all"
    }
    let advice =
      Self.isFolder(part)
      ? "show it with --scratch '\(part)', or with --writable '\(part)' when what tests write "
        + "there shall stay" : "show it with --writable '\(part)'"
    return "the test did not find '\(part)', because each sandbox has a \(hidden) of its own; "
      + advice
  }

  /// - Parameter name: A path in the container's home folder, relative to it.
  private func hint(ofHome name: String) -> String? {
    guard let userHome else { return nil }
    let there = HomePath.namesOutside(ofInside: name).first {
      access("\(userHome)/\($0)", F_OK) == 0
    }
    guard let there else { return nil }
    let option = "--home '\(HomePath.worthShowing(there))'"
    return "the test did not find '~/\(there)', because its home folder is that of its container; "
      + (network == nil
        ? "in a sandbox \(option) shows that of the user" : "show that of the user with \(option)")
  }

  /// Says that a name or address cannot be reached because of the sandbox.
  ///
  /// - Parameter address: `example.com`, `192.0.2.1:80` or `[2001:db8::1]:80`.
  /// - Returns: `nil` when the machine's network would make no difference.
  package func hint(ofUnreachable address: String) -> String? {
    guard let network, network != .host, address != "localhost", address != Self.hostName else {
      return nil
    }
    let isLoopback = ["127.", "0.0.0.0:", "[::1]:", "[::]:"].contains { address.hasPrefix($0) }
    if isLoopback, network == .none {
      return "the test could not connect to '\(address)', because the sandbox has no network; "
        + "'--network loopback' gives it an interface of its own"
    }
    if isLoopback {
      guard let port = address.split(separator: ":").last.flatMap({ UInt16($0) }),
        ListeningSockets.someoneListens(onPort: port)
      else { return nil }
      return "the test could not connect to '\(address)', because the sandbox has a network of its "
        + "own, in which nobody listens there; outside somebody does, and '--network host' gives "
        + "tests the machine's network"
    }
    return "the test could not reach '\(address)', because the sandbox has no network but an "
      + "interface of its own; '--network host' gives tests the machine's"
  }

  /// That of all sandboxes.
  private static let hostName = "carrel"

  private static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.isFolder
  }

  private static func rest(of path: String, in folder: String) -> String? {
    path.hasPrefix(folder + "/") ? String(path.dropFirst(folder.utf8.count + 1)) : nil
  }
}

extension [String] {
  /// Each text once, in the order of the first.
  fileprivate var unique: [String] {
    var seen: Set<String> = []
    return filter { seen.insert($0).inserted }
  }
}
