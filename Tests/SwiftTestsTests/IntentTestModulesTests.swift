import RunModel
import Testing

@testable import SwiftTests

@Suite struct IntentTestModulesTests {
  @Test func targetsThatDependOnTheLibrary() {
    let description = """
      {"builtTestProducts": [], "targetDependencyMap": {
        "AppIntentsTesting": ["IntentWire"], "Support": ["AppIntentsTesting", "IntentWire"],
        "Note-Tests": ["Support", "AppIntentsTesting", "IntentWire"], "PlainTests": ["Notes"],
        "Notes": [], "IntentWire": []}}
      """
    #expect(
      IntentTestModules(description: Array(description.utf8)) == .only(["Support", "Note_Tests"]))
  }

  @Test(arguments: [
    "", "{}", #"{"targetDependencyMap": {"A": ["B"]}}"#, #"{"targetDependencyMap": 1}"#,
  ])
  func descriptionsThatDoNotTell(text: String) {
    #expect(IntentTestModules(description: Array(text.utf8)) == nil)
  }

  @Test func testsBelongToTheModuleOfTheirName() {
    let test = TestID(product: "P", library: .testing, name: "NoteTests.Suite/f()")
    #expect(IntentTestModules.only(["NoteTests"]).contains(test))
    #expect(!IntentTestModules.only(["Note", "NoteTest"]).contains(test))
    #expect(
      IntentTestModules.anyModule.contains(test) && !IntentTestModules.noModule.contains(test))
  }
}
