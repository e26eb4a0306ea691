import FoundationEssentials
import Glibc

/// A new folder that goes away with the value's last owner.
package final class TemporaryFolder: Sendable {
  /// Absolute path without symbolic links.
  package let path: String

  /// Makes a folder.
  ///
  /// - Parameters:
  ///   - name: A last component, to try names with spaces or other letters.
  ///   - prefix: What the name of the folder in the parent folder begins with.
  ///   - parent: An existing folder; `nil` for the system's temporary folder.
  package init(
    name: String? = nil, prefix: String = "carrel-test-", in parent: String? = nil
  ) throws {
    let parent = parent ?? FileManager.default.temporaryDirectory.path
    var template = Array("\(parent)/\(prefix)XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw CocoaError(.fileWriteUnknown, userInfo: [:])
    }
    root = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let resolved = realpath(root, nil).map { pointer in
      defer { free(pointer) }
      return String(cString: pointer)
    }
    path = (resolved ?? root) + (name.map { "/" + $0 } ?? "")
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  private let root: String

  deinit {
    makeFoldersWritable(root)
    try? FileManager.default.removeItem(atPath: root)
  }

  /// The path of a file in the folder.
  package func path(of name: String) -> String { "\(path)/\(name)" }
}

/// Lets read-only folders be emptied, below and including a path.
private func makeFoldersWritable(_ path: String) {
  var status = stat()
  guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return }
  chmod(path, 0o700)
  for name in (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] {
    makeFoldersWritable("\(path)/\(name)")
  }
}
