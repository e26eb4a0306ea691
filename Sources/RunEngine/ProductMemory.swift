import FoundationEssentials
import Orchestration
import RunModel
import SwiftTests
import SystemFiles
import Workers

/// What is remembered of a test product between runs: its tests, and how long they take.
///
/// Kept in the user's cache folder under the path of the executable. The tests are only believed as
/// long as the executable is the very same file, unchanged; times are hints and stay.
struct ProductMemory: Codable {
  /// The file that was listed; see ``identity(of:observer:)``.
  var identity: String
  var tests: [TestDescriptor]
  /// What the listing warned of.
  var warnings: [String]
  var measurements: [GroupMeasurement]
  /// Seconds of the tests that took at least ``slow``, by printed ID.
  var slowTests: [String: Double]

  /// Seconds from which a test's time is remembered.
  static let slow = 0.05

  /// Tells this state of an executable from every other: device, inode, size, times of the last
  /// change of content and of status. The last one cannot be set back (inode(7)).
  ///
  /// - Returns: `nil` when there is no such file, or when its tests lie in a library beside it.
  static func identity(of product: TestProduct, observer: ObserverLibrary) -> String? {
    guard product.executable.hasSuffix(".xctest"),
      let stamp = FileStamp(path: product.executable)
    else { return nil }
    return "\(stamp.identity.device) \(stamp.identity.inode) \(stamp.size)"
      + " \(stamp.modified) \(stamp.changed) \(observer.path)"
  }

  /// - Returns: `nil` when nothing useful is remembered.
  init?(of product: TestProduct, in cache: String) {
    guard let bytes = readSmallFile(Self.path(of: product, in: cache)),
      let memory = try? JSONDecoder().decode(ProductMemory.self, from: Data(bytes))
    else { return nil }
    self = memory
  }

  init(
    identity: String, tests: [TestDescriptor], warnings: [String],
    measurements: [GroupMeasurement], slowTests: [String: Double]
  ) {
    self.slowTests = slowTests
    self.identity = identity
    self.tests = tests
    self.warnings = warnings
    self.measurements = measurements
  }

  /// Remembers; when that cannot be done, the next run is slower and nothing else.
  func save(for product: TestProduct, in cache: String) {
    let path = Self.path(of: product, in: cache)
    guard let bytes = try? JSONEncoder().encode(self) else { return }
    guard (try? makeFolders(cache + "/products", mode: 0o700)) != nil else { return }
    try? writeFileAtomically(Array(bytes), to: path, mode: 0o600)
  }

  private static func path(of product: TestProduct, in cache: String) -> String {
    "\(cache)/products/\(hexadecimal(stableHash(product.executable.utf8))).json"
  }
}
