import Testing
import XCTest

/// Failing tests whose names do not fit into file names, or differ in little.
final class NameXCTests: XCTestCase {
  // swift-format-ignore
  func testWithANameOf300Characters_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx1() { XCTFail("long name 1") }
  // swift-format-ignore
  func testWithANameOf300Characters_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx2() { XCTFail("long name 2") }

  func testCase() { XCTFail("upper") }
  func testcase() { XCTFail("lower") }
}

@Suite struct NameTests {
  // swift-format-ignore
  @Test func 試験の名前がとても長いので試験の名前がとても長いので試験の名前がとても長いので試験の名前がとても長いので試験の名前がとても長いので試験の名前がとても長いので試験の名前がとても長いので試験の名前がとても長いので試験の名前がとても長いので試験一() { Issue.record("CJK name 1") }
  // swift-format-ignore
  @Test func 試験の名前がとても長いので試験の名前がとても長いので試験の名前がとても長いので試験の名前がとても長いので試験の名前がとても長いので試験の名前がとても長いので試験の名前がとても長いので試験の名前がとても長いので試験の名前がとても長いので試験二() { Issue.record("CJK name 2") }

  @Test func differInCase() { Issue.record("camel") }
  @Test func differincase() { Issue.record("flat") }

  @Test func `.. `() { Issue.record("dots and a space") }
  @Test func `../../escape`() { Issue.record("path") }
}
