package import Evidence
import Glibc
package import RunModel
package import SwiftTests
import SystemFiles
import Workers

/// A run archive in the place of a package.
package struct PackageArchive: Sendable {
  /// Absolute path of the file.
  package var path: String
  package var manifest: RunArchiveManifest
  /// The text of the `carrel.json` in it; `nil` without one.
  package var configuration: [UInt8]?
  /// In the order of the listing.
  package var tests: [TestDescriptor]

  /// Reads the beginning of an archive.
  ///
  /// - Throws: ``EvidenceError``, also with the code `otherVersion` when what is packed speaks
  ///   otherwise with Carrel than this version does.
  package init(path: String, carrel: String) throws {
    let head = try RunArchiveReader(path: path).head()
    self.path = path
    manifest = head.manifest
    configuration = head.configuration
    tests = head.tests
    guard manifest.observer == ObserverLibrary.sourceKey else {
      throw EvidenceError(
        .otherVersion,
        "the run archive '\(ByteName(path).displayName)' was packed by Carrel \(manifest.carrel), "
          + "whose observer of test processes is not that of this version, \(carrel); run it with "
          + "that version, or pack it anew with this one", context: ["path": path])
    }
  }

  /// Where the package was, and what it was built into.
  package var location: BuildLocation {
    var location = BuildLocation(
      package: manifest.package, scratch: nil, configuration: manifest.buildConfiguration)
    location.products = manifest.builtProducts
    return location
  }

  /// Extracts the archive, whole and as it was packed, into a folder that does not exist yet.
  ///
  /// - Throws: ``EvidenceError``; with the code `stopped` when a signal came first.
  func unpack(to folder: String, _ supervisor: Supervisor) throws -> UnpackedArchive {
    let stop = StopFlag()
    let previous = supervisor.onInterruption
    supervisor.onInterruption = { _ in stop.set() }
    defer { supervisor.onInterruption = previous }
    if supervisor.interruption != nil { stop.set() }
    let reader = RunArchiveReader(path: path)
    var result: Result<RunArchiveReader.Whole, any Error>?
    supervisor.loop.inBackground {
      Result { try reader.extract(to: folder) { stop.isSet } }
    } then: {
      result = $0
    }
    // Also after a signal: the folder is removed when nobody writes to it any more.
    supervisor.loop.run { result != nil }
    guard let whole = try result?.get() else {
      throw EvidenceError(.stopped, "the extraction was given up")
    }
    guard whole.manifest == manifest else {
      throw EvidenceError(
        .malformed,
        "the run archive '\(ByteName(path).displayName)' was replaced while it was read",
        context: ["path": path])
    }
    // Files are packed from it only when they were named.
    do throws(FileError) {
      try makeFolders("\(folder)/\(RunArchivePaths.package)")
    } catch {
      throw EvidenceError(.unwritable, "cannot make a folder in '\(folder)'", cause: error)
    }
    return UnpackedArchive(
      folder: existingPath(folder) ?? folder,
      reference: ArchiveReference(path: path, digest: whole.digest),
      manifest: manifest, tests: tests)
  }
}

/// What was extracted of a run archive.
struct UnpackedArchive: Sendable {
  /// Absolute path.
  var folder: String
  var reference: ArchiveReference
  var manifest: RunArchiveManifest
  var tests: [TestDescriptor]

  var package: String { "\(folder)/\(RunArchivePaths.package)" }
  var observer: String { "\(folder)/\(RunArchivePaths.observer)" }

  /// Where things are now.
  var location: BuildLocation {
    var location = BuildLocation(
      package: package, scratch: folder, configuration: manifest.buildConfiguration)
    location.products = "\(folder)/\(RunArchivePaths.products)"
    return location
  }

  var products: [TestProduct] {
    manifest.products.map {
      TestProduct(name: $0.name, executable: "\(location.products)/\($0.executable)")
    }
  }

  /// Where a path is that lay in the package when it was built; others are as they were.
  func moved(_ path: String) -> String {
    let old = manifest.package
    guard path == old || path.hasPrefix(old + "/") else { return path }
    return package + path.dropFirst(old.count)
  }

  /// Where a path in the package is seen when the package is seen where it was.
  func seen(_ path: String) -> String {
    guard path == package || path.hasPrefix(package + "/") else { return path }
    return manifest.package + path.dropFirst(package.count)
  }
}
