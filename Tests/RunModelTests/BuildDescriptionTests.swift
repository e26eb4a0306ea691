import RunModel
import Testing

@Suite struct BuildDescriptionTests {
  @Test func whatCarrelNeedsIsRead() throws {
    let text = #"""
      {"builtTestProducts":[{"binaryPath":"\/p\/.build\/debug\/PTests.xctest",
        "productName":"PTests","packagePath":"\/p"}],
      "swiftCommands":{"C.x":{"inputs":[{"kind":"file"}]}},
      "targetDependencyMap":{"A":["B"],"B":[]},
      "writeCommands":{"\/p\/.build\/debug\/App one.product\/Objects.LinkFileList":{"x":[]},
        "\/p\/.build\/debug\/A.build\/sources":{}}}
      """#
    let description = try #require(BuildDescription(Array(text.utf8)))
    #expect(description.testProducts.map(\.productName) == ["PTests"])
    #expect(description.testProducts.map(\.binaryPath) == ["/p/.build/debug/PTests.xctest"])
    #expect(description.targetDependencies == ["A": ["B"], "B": []])
    #expect(description.linkedProducts == ["App one"])
  }

  @Test func whatIsMissingOrOtherwiseIsNotThere() throws {
    let description = try #require(
      BuildDescription(Array(#"{"builtTestProducts":1,"writeCommands":[]}"#.utf8)))
    #expect(description.testProducts.isEmpty)
    #expect(description.targetDependencies == nil && description.linkedProducts == nil)
    #expect(BuildDescription(Array("[]".utf8)) == nil)
  }
}
