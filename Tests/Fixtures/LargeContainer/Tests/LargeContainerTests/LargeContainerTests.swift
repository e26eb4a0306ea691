import Foundation
import XCTest

/// Fills its container and fails, so that a large bundle is packed.
final class LargeContainerTests: XCTestCase {
  /// Copies the folder that `CARREL_TEST_TREE` names; pass it with `--pass-env CARREL_TEST_TREE`.
  func testFillsItsContainerAndFails() throws {
    let environment = ProcessInfo.processInfo.environment
    let tree = try XCTUnwrap(environment["CARREL_TEST_TREE"])
    let home = try XCTUnwrap(environment["HOME"])
    let copy = try Process.run(
      URL(fileURLWithPath: "/bin/cp"), arguments: ["-r", tree, home + "/Documents/tree"])
    copy.waitUntilExit()
    XCTFail("fails on purpose")
  }
}
