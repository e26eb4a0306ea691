import RunModel
import Testing

@testable import SwiftTests

@Suite struct IntentTestModulesTests {
  @Test func usersOfUsersAreUsers() {
    let references: [String: Set<String>] = [
      "AppIntentsTesting": ["IntentWire", "Foundation"], "Support": ["AppIntentsTesting"],
      "MoreSupport": ["Support", "Swift"], "NoteTests": ["MoreSupport"], "PlainTests": ["Notes"],
      "Notes": [], "IntentWire": [],
    ]
    #expect(
      IntentTestModules.users(of: references) == ["Support", "MoreSupport", "NoteTests"])
  }

  @Test func modulesAreTheFirstNamesOfSymbols() {
    var found: Set<String> = []
    let text =
      "$s17AppIntentsTesting17IntentDefinitionsV\0$s5Notes4NoteV\0$s$s0x$S3Abc$s99Cut\0$$s2Ab$s"
    Array(text.utf8).withUnsafeBytes { IntentTestModules.collectModules(in: $0, into: &found) }
    #expect(found == ["AppIntentsTesting", "Notes", "Ab"])
  }

  @Test func testsBelongToTheModuleOfTheirName() {
    let test = TestID(product: "P", library: .testing, name: "NoteTests.Suite/f()")
    #expect(IntentTestModules.some(["NoteTests"]).contains(test))
    #expect(!IntentTestModules.some(["Note", "NoteTest"]).contains(test))
    #expect(IntentTestModules.any.contains(test) && !IntentTestModules.none.contains(test))
  }
}
