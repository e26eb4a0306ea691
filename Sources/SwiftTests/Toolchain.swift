import Glibc
import SystemFiles
import Workers

/// An installed Swift toolchain.
package struct Toolchain: Sendable, Hashable {
  /// Absolute path of the folder with `swift`, `swiftc` and `clang`, links resolved.
  package let binFolder: String

  package init(binFolder: String) { self.binFolder = binFolder }

  package var swift: String { binFolder + "/swift" }
  package var swiftc: String { binFolder + "/swiftc" }
  package var clang: String { binFolder + "/clang" }

  /// Finds the toolchain whose `swift` comes first on the path.
  ///
  /// - Throws: ``SwiftTestsError`` with code `noToolchain`.
  package static func find(path: String?) throws(SwiftTestsError) -> Toolchain {
    for folder in (path ?? "").split(separator: ":") {
      let candidate = "\(folder)/swift"
      guard access(candidate, X_OK) == 0, let real = existingPath(candidate) else { continue }
      let bin = SystemFiles.folder(of: real)
      // `swift` is a link to `swift-frontend` or `swift-driver` beside it.
      if access(bin + "/swiftc", X_OK) == 0 { return Toolchain(binFolder: bin) }
      if access("\(folder)/swiftc", X_OK) == 0 { return Toolchain(binFolder: String(folder)) }
    }
    throw SwiftTestsError(
      .noToolchain,
      "no Swift toolchain was found on PATH; install Swift 6.2 or newer and make sure that "
        + "'swift --version' works in this shell")
  }

  /// Tells this toolchain from any other that was ever at its path.
  package var identity: String {
    guard let stamp = FileStamp(path: binFolder + "/swift-frontend") else { return binFolder }
    return "\(binFolder) \(stamp.size) \(stamp.modified)"
  }
}
