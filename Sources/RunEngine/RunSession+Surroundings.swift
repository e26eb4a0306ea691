import Glibc
import SwiftTests
import Workers

extension RunSession {
  /// What the processes of a container are kept from.
  func surroundings(of container: Container) -> TestSurroundings {
    TestSurroundings(
      network: sandboxes?.network, container: container,
      userHome: userHome(in: package.environment))
  }
}

/// The home folder of the user, without a slash at its end; `nil` when nobody knows it.
///
/// - Parameter environment: The caller's.
package func userHome(in environment: [String: String]) -> String? {
  var home = environment["HOME"] ?? ""
  if home.isEmpty, let entry = getpwuid(getuid()) { home = String(cString: entry.pointee.pw_dir) }
  while home.utf8.count > 1, home.hasSuffix("/") { home.removeLast() }
  return home.hasPrefix("/") ? home : nil
}
