import Glibc
import SystemFiles
import Workers

/// An installed Swift toolchain.
package struct Toolchain: Sendable, Hashable {
  /// Absolute path of the folder with `swift`, `swiftc` and `clang`, links resolved.
  package let binFolder: String
  /// Absolute path of the folder with the libraries that its programs load, links resolved.
  package var runtimeFolder: String

  package init(binFolder: String) {
    self.binFolder = binFolder
    let usual = SystemFiles.folder(of: binFolder) + "/lib/swift/linux"
    runtimeFolder = existingPath(usual) ?? usual
  }

  package var swift: String { binFolder + "/swift" }
  package var swiftc: String { binFolder + "/swiftc" }
  package var clang: String { binFolder + "/clang" }

  /// The toolchain whose `swift` is in a folder, or is what a link there leads to.
  ///
  /// - Returns: `nil` when there is none, or no whole one.
  package init?(programsIn folder: String) {
    let candidate = folder + "/swift"
    guard Self.isProgram(candidate), let real = existingPath(candidate) else { return nil }
    let bin = SystemFiles.folder(of: real)
    // `swift` is a link to `swift-frontend` or `swift-driver` beside it.
    if Self.isProgram(bin + "/swiftc") {
      self.init(binFolder: bin)
    } else if Self.isProgram(folder + "/swiftc"), let folder = existingPath(folder) {
      self.init(binFolder: folder)
    } else {
      return nil
    }
  }

  /// Tells this toolchain from any other that was ever at its path.
  package var identity: String {
    let stamps = ["swift", "swiftc", "swift-frontend", "clang"].map { name in
      FileStamp(path: "\(binFolder)/\(name)").map { "\($0.size) \($0.modified)" } ?? "-"
    }
    return ([binFolder] + stamps).joined(separator: " ")
  }

  /// Whether a path leads to a file that may be executed.
  static func isProgram(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.isRegular && access(path, X_OK) == 0
  }
}

extension Toolchain {
  /// The variables of a caller without folders in `LD_LIBRARY_PATH` that have libraries of another
  /// toolchain: the dynamic linker would take them before those that a program was built with.
  package func environment(_ caller: [String: String]) -> [String: String] {
    let name = "LD_LIBRARY_PATH"
    guard let folders = caller[name] else { return caller }
    let own = Set((folderEntries(runtimeFolder) ?? []).filter { $0.hasSuffix(".so") })
    let kept = folders.split(separator: ":").filter { folder in
      existingPath(String(folder)) == runtimeFolder
        || own.isDisjoint(with: folderEntries(String(folder)) ?? [])
    }
    var result = caller
    result[name] = kept.isEmpty ? nil : kept.joined(separator: ":")
    return result
  }

  /// The variables for a build: whatever looks for a program of the toolchain finds this one's.
  package func buildEnvironment(_ caller: [String: String]) -> [String: String] {
    var result = environment(caller)
    // The linker is the system's.
    result["PATH"] = "\(binFolder):\(result["PATH"] ?? "/usr/local/bin:/usr/bin:/bin")"
    // With these SwiftPM takes compilers, or itself, from elsewhere.
    for name in ["SWIFT_EXEC", "SWIFT_EXEC_MANIFEST", "SWIFTPM_CUSTOM_BIN_DIR"] {
      result[name] = nil
    }
    return result
  }
}
