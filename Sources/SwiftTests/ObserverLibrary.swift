import Glibc
import RunModel
import SystemFiles
package import Workers

/// The library that is loaded into test processes; see `Observer/interpose.c.in`.
///
/// XCTest's and Foundation's modules have no stable binary interface on Linux, so the library is
/// compiled by the very toolchain that compiles the tests, once per toolchain and version of
/// Carrel, and kept in the user's cache folder.
package struct ObserverLibrary: Sendable {
  /// Absolute path of the library.
  package let path: String
  private let folder: String
  private let toolchain: Toolchain

  /// The files that it is compiled from.
  private static let sources: [(name: String, bytes: [UInt8])] = [
    ("children.c", PackageResources.children_c_in), ("classes.c", PackageResources.classes_c_in),
    ("homes.c", PackageResources.homes_c_in), ("interpose.c", PackageResources.interpose_c_in),
    ("locks.c", PackageResources.locks_c_in), ("moved.c", PackageResources.moved_c_in),
    ("output.c", PackageResources.output_c_in),
    ("warm.c", PackageResources.warm_c_in), ("refusals.c", PackageResources.refusals_c_in),
    ("start.h", PackageResources.start_h_in),
    ("Observer.swift", PackageResources.Observer_swift_in),
  ]

  /// - Parameter cache: Folder for files that can be made again.
  package init(toolchain: Toolchain, cache: String) {
    let sources = Self.sources.flatMap(\.bytes)
    let key = stableHash(sources) ^ stableHash(toolchain.identity.utf8) &* 31
    self.toolchain = toolchain
    folder = "\(cache)/observer-\(String(key, radix: 16))"
    path = folder + "/libCarrelObserver.so"
  }

  /// A library that was made before, for products that are not built here.
  package init(at path: String) {
    self.path = path
    folder = SystemFiles.folder(of: path)
    toolchain = Toolchain(binFolder: "")
  }

  /// Tells the sources of this version's observer from those of others.
  package static let sourceKey = hexadecimal(stableHash(sources.flatMap(\.bytes)))

  package var exists: Bool { access(path, R_OK) == 0 }

  /// The commands that make the library, in order, and the function that puts it into place after
  /// them.
  ///
  /// - Throws: ``WorkersError`` when the cache folder cannot be written.
  package func build(
    environment: [String: String]
  ) throws(WorkersError) -> (steps: [ProcessRequest], install: () -> Bool) {
    let place: TemporaryDirectory
    do throws(SystemFailure) {
      place = try TemporaryDirectory(beside: folder, mode: 0o700)
    } catch {
      throw WorkersError(
        .noCache, "cannot make a folder beside '\(folder)'", context: ["path": folder],
        cause: error)
    }
    let work = place.path
    try asWorkersError(.noCache) { () throws(FileError) in
      for (name, bytes) in Self.sources { try writeSmallFile("\(work)/\(name)", bytes) }
    }
    let environment = toolchain.buildEnvironment(environment)
    let names = Self.sources.map(\.name).filter { $0.hasSuffix(".c") }
    func step(_ executable: String, _ arguments: [String]) -> ProcessRequest {
      ProcessRequest(
        executable: executable, arguments: arguments, environment: environment, directory: work,
        scope: "\(Watchdog.programMark)-observer")
    }
    let steps = [
      step(toolchain.clang, ["-O2", "-fPIC", "-c"] + names),
      step(
        toolchain.swiftc,
        [
          "-O", "-swift-version", "5", "-module-name", "CarrelObserver", "-emit-library",
          // Not the user's module cache, which cannot be written everywhere.
          "-module-cache-path", "modules", "Observer.swift", "-o", "libCarrelObserver.so",
        ] + names.map { $0.dropLast() + "o" }),
    ]
    let folder = folder
    let path = path
    return (
      steps,
      {
        removeTree(work + "/modules")
        // Whoever is first wins; the others' work is the same.
        try? place.rename(to: folder)
        return access(path, R_OK) == 0
      }
    )
  }
}
