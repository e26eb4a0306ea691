import Glibc
import SystemFiles

/// The libraries of a toolchain that an executable loads, as the dynamic linker looks for them
/// (ld.so(8)).
package struct RuntimeLibraries: Sendable {
  /// Absolute paths by file name.
  package private(set) var loaded: [String: String] = [:]
  /// File names of libraries that are neither where the files say, nor in the system's usual
  /// folders; the dynamic linker may know more folders.
  package private(set) var unresolved: [String] = []
  /// The folders with a Swift runtime that libraries are loaded from, links resolved.
  package private(set) var folders: Set<String> = []

  private static let maxFiles = 1000
  private static let systemFolders = [
    "/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/lib/\(machine)-linux-gnu",
    "/usr/lib/\(machine)-linux-gnu",
  ]

  private static let machine: String = {
    var names = utsname()
    guard uname(&names) == 0 else { return "x86_64" }
    return withUnsafeBytes(of: names.machine) {
      String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
    }
  }()

  /// - Parameters:
  ///   - executables: Absolute paths; what is no ELF file has no libraries.
  ///   - runtimeFolder: Where the toolchain has its libraries.
  package init(of executables: [String], runtimeFolder: String) {
    // Breadth first, and a library that anybody has found is there for all.
    var queue = executables
    var next = 0
    var found: Set<String> = []
    var lacking: Set<String> = []
    while next < queue.count, next < Self.maxFiles {
      let path = queue[next]
      next += 1
      guard let dynamic = ELFDynamic(of: path) else { continue }
      for name in dynamic.needed where !found.contains(name) {
        let places = dynamic.searchFolders.map { "\($0)/\(name)" }
        if let place = places.first(where: { access($0, R_OK) == 0 }) {
          found.insert(name)
          queue.append(place)
          let folder = existingPath(SystemFiles.folder(of: place)) ?? ""
          if folder == runtimeFolder || access(folder + "/libswiftCore.so", F_OK) == 0 {
            loaded[name] = "\(folder)/\(name)"
            folders.insert(folder)
          }
        } else if !Self.systemFolders.contains(where: { access("\($0)/\(name)", F_OK) == 0 }) {
          lacking.insert(name)
        }
      }
    }
    unresolved = lacking.subtracting(found).sorted()
  }
}
