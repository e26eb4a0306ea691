import Glibc
import IntentWire
import RunModel
import SwiftTests
import SystemFiles

/// What was built of a package before, and whether it still is what its sources say.
///
/// A build of an unchanged package takes a second or more, which is most of the time that a short
/// test is reproduced in. It is only left out when the test product is, byte for byte, the one that
/// is asked for, and no file of the package was touched after it was linked. Whatever cannot be
/// known counts as touched.
struct PresentBuild {
  /// Files and folders that are looked at; a package with more is built.
  private static let mostEntries = 50_000

  private let location: BuildLocation

  init(_ location: BuildLocation) { self.location = location }

  /// - Parameters:
  ///   - original: Facts with digests of at least one test product.
  ///   - found: Gives the digests of products.
  func isUnchanged(
    as original: ToolchainFacts, found: ([TestProduct]) -> ToolchainFacts
  ) -> Bool {
    let wanted = original.only(\.isOfBuild)
    guard wanted.values.keys.contains(where: { ToolchainFactKind(of: $0) == .product }),
      let products = try? location.testProducts(), let dependencies = localDependencies()
    else { return false }
    // Cheap before dear.
    let linked = products.filter { wanted[.product, $0.name] != nil }.compactMap {
      Self.changeTime(of: $0.executable)
    }
    guard let oldest = linked.min() else { return false }
    var left = Self.mostEntries
    for folder in [location.package] + dependencies {
      guard !Self.isChanged(folder, isRoot: true, after: oldest, &left) else { return false }
    }
    return found(products).differences(from: wanted).isEmpty
  }

  /// Folders of packages that this one takes from beside it, as SwiftPM has noted them; `nil` when
  /// that is not known, or one of them is being edited.
  private func localDependencies() -> [String]? {
    guard let bytes = readSmallFile("\(location.scratch)/workspace-state.json"),
      let json = try? WireJSON(reading: bytes),
      let dependencies = json["object"]?["dependencies"]?.array
    else { return nil }
    var folders: [String] = []
    for dependency in dependencies {
      switch dependency["state"]?["name"]?.string {
      case "fileSystem":
        guard let path = dependency["state"]?["path"]?.string else { return nil }
        folders.append(path)
      case "sourceControlCheckout", "registryDownload": continue
      default: return nil
      }
    }
    return folders
  }

  /// Whether a file or folder was changed, in content or in what the system notes of it, after a
  /// time. Names that begin with a dot are not looked at, and neither is the time of a package's
  /// own folder, in which builds and records are made.
  ///
  /// - Parameter left: Entries that may still be looked at.
  private static func isChanged(
    _ folder: String, isRoot: Bool = false, after time: Double, _ left: inout Int
  ) -> Bool {
    guard let names = folderEntries(folder) else { return true }
    if !isRoot {
      guard let changed = changeTime(of: folder), changed < time else { return true }
    }
    for name in names where !name.hasPrefix(".") {
      left -= 1
      let path = "\(folder)/\(name)"
      var status = stat()
      guard left > 0, lstat(path, &status) == 0 else { return true }
      if status.isFolder {
        if isChanged(path, after: time, &left) { return true }
        continue
      }
      guard seconds(status) < time else { return true }
      guard status.isLink else { continue }
      guard stat(path, &status) == 0, !status.isFolder, seconds(status) < time else { return true }
    }
    return false
  }

  private static func changeTime(of path: String) -> Double? {
    var status = stat()
    return stat(path, &status) == 0 ? seconds(status) : nil
  }

  private static func seconds(_ status: stat) -> Double {
    func value(_ time: timespec) -> Double { Double(time.tv_sec) + Double(time.tv_nsec) / 1e9 }
    return max(value(status.st_mtim), value(status.st_ctim))
  }
}
