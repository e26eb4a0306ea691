import Glibc
import RunModel
import SystemFiles
import TestSupport
import Testing

@testable import Evidence

/// A folder of its own for one test, removed at its end.
final class Scratch: Sendable {
  private let folder: TemporaryFolder

  var path: String { folder.path }

  init() throws { folder = try TemporaryFolder(prefix: "carrel évidence-") }

  /// Some tests make paths that are longer than a path may be.
  deinit { removeTree(path) }

  func write(_ name: String, _ bytes: [UInt8], mode: mode_t = 0o644) throws {
    try makeFolders(SystemFiles.folder(of: "\(path)/\(name)"))
    try writeFileAtomically(bytes, to: "\(path)/\(name)")
    chmod("\(path)/\(name)", mode)
  }

  func write(_ name: String, _ text: String) throws { try write(name, Array(text.utf8)) }

  func bytes(_ name: String) throws -> [UInt8] {
    try readFile("\(path)/\(name)", maxBytes: 1 << 30)
  }
}

extension BundleManifest {
  /// A manifest as a plain test has it.
  static func sample(
    _ test: TestID = TestID(product: "P", library: .xctest, name: "M.Class/testIt"),
    attempt: Int = 1
  ) -> BundleManifest {
    BundleManifest(
      carrel: "0.1.0", runID: "20261130T053000Z-4f3a2b",
      attempt: AttemptResult(
        test: test, attempt: attempt, batch: 1, worker: 1, verdict: .failed,
        issues: [TestIssue(message: "1 is not 2")], end: .exited(1), startedAt: 1000,
        duration: 0.5),
      predecessors: [], package: "P", toolchain: "Swift 6.3.1", runtime: "Linux x86_64",
      hostName: "host", fixtureToken: nil, isolation: "directories", timeLimit: 60)
  }
}

extension Scratch {
  /// Packs a folder of the scratch folder as the container of a bundle beside it.
  @discardableResult
  func pack(
    _ folder: String = "box", to name: String = "b.tar", compression: BundleCompression = .none,
    limits: BundleLimits = BundleLimits()
  ) throws -> BundleReader {
    try FailureBundle.write(
      BundleContents(
        manifest: .sample(), entries: [.init("container", .item("\(path)/\(folder)"))]),
      to: "\(path)/\(name)", compression: compression, limits: limits)
    return BundleReader(path: "\(path)/\(name)", limits: limits)
  }

  /// Extracts a bundle's container and returns what came out of it.
  func unpack(_ bundle: BundleReader, to name: String = "out") throws -> ExtractionReport {
    try bundle.extract(
      to: "\(path)/\(name)", options: ExtractionOptions(links: .keepAll, subtree: "container"))
  }
}
