import FoundationEssentials
import Glibc
import TestSupport

/// A folder of scripts that say that they are some toolchain, and do what the real one does.
struct FakeToolchain: Sendable {
  /// Absolute path of the folder that is given to `--toolchain`.
  let path: String

  var programs: String { "\(path)/usr/bin" }

  /// - Parameters:
  ///   - version: What it says of itself.
  ///   - clang: What its `clang` says after `clang version`; `nil` for what the real one says.
  init(at path: String, version: String, clang: String? = nil) throws {
    self.path = path
    let real = try Self.realPrograms
    let says = "Swift version \(version) (swift-\(version)-RELEASE)"
    for name in ["swift", "swiftc"] {
      try write(
        name,
        """
        case "$1" in --version|-version) echo '\(says)'; echo 'Target: x'; exit 0 ;; esac
        exec '\(real)/\(name)' "$@"
        """)
    }
    let answer = clang.map { "[ \"$1\" = --version ] && { echo 'clang version \($0)'; exit 0; }" }
    try write("clang", "\(answer ?? ":")\nexec '\(real)/clang' \"$@\"")
  }

  private func write(_ name: String, _ script: String) throws {
    try writeScript("\(programs)/\(name)", script)
  }

  /// The folder of the toolchain that this test was built with, links resolved.
  static var realPrograms: String {
    get throws {
      let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
      for folder in folders {
        guard let pointer = realpath("\(folder)/swift", nil) else { continue }
        defer { free(pointer) }
        let parts = String(cString: pointer).split(separator: "/")
        return "/" + parts.dropLast().joined(separator: "/")
      }
      throw FixtureProblem("there is no swift on PATH")
    }
  }
}

/// Writes a shell script that can be executed, and the folders on the way to it.
func writeScript(_ path: String, _ script: String) throws {
  let folder = "/" + path.split(separator: "/").dropLast().joined(separator: "/")
  try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  try Data("#!/bin/sh\n\(script)\n".utf8).write(to: URL(filePath: path))
  chmod(path, 0o755)
}
