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
///
/// The tests are in a file of their own, which is only written when they are others: what is
/// measured changes with each run, and who runs a package again waits for both.
struct ProductMemory {
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
    return "\(stamp.line) \(observer.path)"
  }

  /// What changes with each run.
  private struct Measured: Codable {
    var identity: String
    var warnings: [String]
    var measurements: [GroupMeasurement]
    var slowTests: [String: Double]
  }

  /// - Returns: `nil` when nothing useful is remembered. The tests are empty, and the identity that
  ///   of no file, when only times are.
  init?(of product: TestProduct, in cache: String) {
    let path = Self.path(of: product, in: cache)
    guard let bytes = readSmallFile(path + ".json"),
      let measured = try? JSONDecoder().decode(Measured.self, from: Data(bytes))
    else { return nil }
    let listed = readSmallFile(path + ".tests").flatMap { RememberedTests(reading: $0) }
    let isListed = listed?.identity == measured.identity
    self.init(
      identity: isListed ? measured.identity : "", tests: isListed ? listed?.tests ?? [] : [],
      warnings: measured.warnings, measurements: measured.measurements,
      slowTests: measured.slowTests)
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
  ///
  /// - Parameter isListed: Whether the tests were listed anew.
  func save(for product: TestProduct, in cache: String, isListed: Bool = true) {
    let path = Self.path(of: product, in: cache)
    let measured = Measured(
      identity: identity, warnings: warnings, measurements: measurements, slowTests: slowTests)
    guard let bytes = try? JSONEncoder().encode(measured),
      (try? makeFolders(cache + "/products", mode: 0o700)) != nil
    else { return }
    if isListed {
      let tests = RememberedTests(identity: identity, product: product.name, tests: tests)
      guard let text = tests.text,
        (try? writeFileAtomically(text, to: path + ".tests", mode: 0o600)) != nil
      else { return }
    }
    try? writeFileAtomically(Array(bytes), to: path + ".json", mode: 0o600)
  }

  private static func path(of product: TestProduct, in cache: String) -> String {
    "\(cache)/products/\(hexadecimal(stableHash(product.executable.utf8)))"
  }
}
