import Evidence
import Glibc
import IntentWire
import SearchIndex
import Synchronization
import SystemFiles
import Workers

/// Puts the files of a bundle's container into a new one.
///
/// A bundle may come from anywhere. Links that lead out of the container are not restored: the
/// test, or what makes a folder in its home, would write through them.
final class ContainerRestoration: Sendable {
  private let bundle: BundleReader
  /// What was left out, each as `'NAME' REASON`.
  private let refused = Mutex<[String]>([])

  init(_ bundle: BundleReader) { self.bundle = bundle }

  /// Replaces the new container's home, temporary folder and index by the bundle's.
  ///
  /// - Throws: ``EvidenceError`` when the bundle cannot be read or the files cannot be written,
  ///   ``WorkersError`` when a folder cannot be put in its place.
  func restore(into container: Container) throws {
    let folder = container.root + "/restored"
    let report = try bundle.extract(
      to: folder,
      options: ExtractionOptions(links: .refuseOutside, subtree: BundlePaths.container))
    var left = report.refused.map { "\($0)" }
    for name in ["home", "tmp"] {
      let isReplaced = try container.replace(name, with: "\(folder)/\(name)")
      var info = stat()
      if !isReplaced, lstat("\(folder)/\(name)", &info) == 0 {
        left.append("'\(BundlePaths.container)/\(name)' is no folder")
      }
    }
    removeTree(folder)
    left += try restoreIndex(into: container)
    refused.withLock { $0 = left }
  }

  /// Puts the entries of the bundle's index into a new one: the file itself may be made to harm.
  ///
  /// - Returns: What was left out: an index that is too large, or that is none.
  private func restoreIndex(into container: Container) throws -> [String] {
    do {
      guard let bytes = try bundle.readIfPresent(BundlePaths.index) else { return [] }
      let entries = try IndexSnapshot.entries(of: bytes, name: BundlePaths.index)
      try SearchIndex(path: container.index).apply(.upsert(entries))
      return []
    } catch let error as EvidenceError where error.code == .limit {
      return ["'\(BundlePaths.index)': \(error)"]
    } catch let error as SearchIndexError where error.code == .unreadable {
      return ["\(error)"]
    }
  }

  /// More are counted, not named.
  private static let namedRefusals = 10

  /// What was left out of the container that was made last, one line each; empty when nothing was.
  var notes: [String] {
    let refused = refused.withLock { $0 }
    guard !refused.isEmpty else { return [] }
    let what = refused.count == 1 ? "1 entry is" : "\(refused.count) entries are"
    var lines = ["\(what) not restored from the bundle's container:"]
    lines += refused.prefix(Self.namedRefusals).map { "  \($0)" }
    if refused.count > Self.namedRefusals {
      lines.append("  and \(refused.count - Self.namedRefusals) more")
    }
    return lines
  }
}
