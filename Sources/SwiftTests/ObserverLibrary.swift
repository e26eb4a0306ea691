import Glibc
package import Workers

/// The library that is loaded into test processes; see `Observer/interpose.c.in`.
///
/// XCTest's and Foundation's modules have no stable binary interface on Linux, so the library is
/// compiled by the very toolchain that compiles the tests, once per toolchain and version of Carrel,
/// and kept in the user's cache folder.
package struct ObserverLibrary: Sendable {
  /// Absolute path of the library.
  package let path: String
  private let folder: String
  private let toolchain: Toolchain

  /// - Parameter cache: Folder for files that can be made again.
  package init(toolchain: Toolchain, cache: String) {
    let sources =
      PackageResources.interpose_c_in + PackageResources.output_c_in + PackageResources.warm_c_in
      + PackageResources.Observer_swift_in
    let key = stableHash(sources) ^ stableHash(toolchain.identity.utf8) &* 31
    self.toolchain = toolchain
    folder = "\(cache)/observer-\(String(key, radix: 16))"
    path = folder + "/libCarrelObserver.so"
  }

  package var exists: Bool { access(path, R_OK) == 0 }

  /// The commands that make the library, in order, and the function that puts it into place after
  /// them.
  ///
  /// - Throws: ``WorkersError`` when the cache folder cannot be written.
  package func build(
    environment: [String: String]
  ) throws(WorkersError) -> (steps: [ProcessRequest], install: () -> Bool) {
    let work = "\(folder).\(getpid())"
    try makeFolders(work, mode: 0o700)
    try writeSmallFile(work + "/interpose.c", PackageResources.interpose_c_in)
    try writeSmallFile(work + "/output.c", PackageResources.output_c_in)
    try writeSmallFile(work + "/warm.c", PackageResources.warm_c_in)
    try writeSmallFile(work + "/Observer.swift", PackageResources.Observer_swift_in)
    func step(_ executable: String, _ arguments: [String]) -> ProcessRequest {
      ProcessRequest(
        executable: executable, arguments: arguments, environment: environment, directory: work,
        scope: "observer-\(getpid())")
    }
    let steps = [
      step(toolchain.clang, ["-O2", "-fPIC", "-c", "interpose.c", "output.c", "warm.c"]),
      step(
        toolchain.swiftc,
        [
          "-O", "-swift-version", "5", "-module-name", "CarrelObserver", "-emit-library",
          // Not the user's module cache, which cannot be written everywhere.
          "-module-cache-path", "modules", "Observer.swift", "interpose.o", "output.o",
          "warm.o", "-o", "libCarrelObserver.so",
        ]),
    ]
    let folder = folder
    let path = path
    return (
      steps,
      {
        removeTree(work + "/modules")
        // Whoever is first wins; the others' work is the same.
        _ = rename(work, folder)
        removeTree(work)
        return access(path, R_OK) == 0
      }
    )
  }
}

/// A hash that is the same in every process: FNV-1a, 64 bits.
package func stableHash(_ bytes: some Sequence<UInt8>) -> UInt64 {
  bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
}
