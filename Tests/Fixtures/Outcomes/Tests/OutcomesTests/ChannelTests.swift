import Foundation
import Testing

/// Tests that write to the descriptor that Carrel's records go through, or say too much in one.
@Suite struct ChannelTests {
  /// The record of the failure is too long to be read.
  @Test func failsWithHugeMessage() {
    let text = String(repeating: "huge ", count: 14 << 20)
    Issue.record("\(text)")
  }

  @Test func writesGarbage() {
    write(3, "garbage\n", 8)
  }

  /// The record of the test's end is joined to it.
  @Test func writesGarbageWithoutEnd() {
    write(3, "garbage", 7)
  }

  @Test func failsInCompany() {
    Issue.record("fails beside them")
  }

  @Test func passesInCompany() {}
}
