import Foundation
import Testing
import XCTest

/// Evaluated as soon as Swift Testing makes its list of tests. Traps, or ends the process with the
/// status that LISTING_STATUS names.
private func reasonThatTraps() -> Comment {
  print("output before the listing traps")
  if let status = ProcessInfo.processInfo.environment["LISTING_STATUS"].flatMap({ Int32($0) }) {
    exit(status)
  }
  fatalError("the reason cannot be found")
}

@Suite struct ListingCrashTests {
  @Test(.disabled(reasonThatTraps())) func trapsWhenListed() {}

  @Test func isNotReached() {}
}

/// The other library's listing is fine.
final class ListingFineXCTests: XCTestCase {
  func testPasses() {}

  func testFails() {
    XCTFail("fails on purpose")
  }
}
