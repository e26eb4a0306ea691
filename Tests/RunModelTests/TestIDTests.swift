import RunModel
import Testing

@Suite struct TestIDTests {
  static let names: [String] = [
    "Mod.Class/testA", "Mod.f()", "Mod.Suite/Nested/f(_:b:)", "Mod.S/`and/another.one \"q\" <x>`()",
    "Mod.Class/a, b", "Mod.Class/x/y", "Mod.Class/works. right?", "Mod.S/`🦊 100%`()",
    "Mod.Class/tab\there\nand newline\u{1B}[0m", "Mod.S/`a:b`()", "M.S/f()@File.swift:1:2",
    "M.S/`txt.\u{202E}exe`()", "M.S/`\u{2066}a\u{200B}\u{FEFF}\u{E0041}`()",
    "M.S/`\u{FFFE}\u{1FFFF}`()",
    "M.S/`\u{85}\u{2028}`()",
  ]

  @Test(arguments: names, TestLibrary.allCases)
  func printedFormParsesBack(name: String, library: TestLibrary) throws {
    for product in ["PkgPackageTests", "a:b%c", "ü\n"] {
      let id = TestID(product: product, library: library, name: name)
      #expect(TestID(parsing: id.description) == id)
      #expect(!id.description.unicodeScalars.contains { $0.value < 32 })
    }
  }

  @Test(arguments: [
    ("a\u{202E}b", "a%E2%80%AEb"), ("a\u{2066}b", "a%E2%81%A6b"), ("\u{200B}", "%E2%80%8B"),
    ("\u{AD}", "%C2%AD"), ("\u{FEFF}", "%EF%BB%BF"), ("\u{FFFE}", "%EF%BF%BE"),
    ("\u{FFFF}", "%EF%BF%BF"), ("\u{1FFFF}", "%F0%9F%BF%BF"),
    ("\u{2028}", "%E2%80%A8"), ("\u{85}\u{7F}", "%C2%85%7F"),
    // These are seen, or needed to see others.
    ("👨‍👩‍👧 می‌خواهم ü \u{FFFD}", "👨‍👩‍👧 می‌خواهم ü \u{FFFD}"),
  ]) func hiddenCharactersAreEscaped(name: String, printed: String) {
    let id = TestID(product: name, library: .testing, name: name)
    #expect(id.printableName == printed)
    #expect(id.description == "\(printed):testing:\(printed)")
    #expect(TestID.name(ofPrinted: printed) == name)
  }

  @Test(arguments: ["", "a", "a:xctest", "a:junit:b", ":xctest:b", "a:xctest:", "a:xctest:%G1"])
  func malformedTextIsRefused(text: String) {
    #expect(TestID(parsing: text) == nil)
  }

  /// Swift's strings are equal when they are canonically equivalent; names of tests are not.
  @Test func equivalentNamesAreDifferentTests() {
    let names = ["M.S/caf\u{E9}()", "M.S/cafe\u{301}()"]
    #expect(names[0] == names[1])
    let ids = names.flatMap { name in
      ["P\u{E9}", "Pe\u{301}"].map { TestID(product: $0, library: .testing, name: name) }
    }
    #expect(Set(ids).count == 4)
    #expect(Dictionary(grouping: ids.map(\.description), by: ExactText.init).count == 4)
    for (left, first) in ids.enumerated() {
      for (right, second) in ids.enumerated() {
        #expect((first == second) == (left == right))
        #expect((first < second || second < first) == (left != right))
      }
      #expect(TestID(parsing: first.description) == first)
    }
    #expect(ids.shuffled().sorted() == ids.sorted())
  }

  @Test func suiteAndFunctionRespectRawIdentifiers() {
    func split(_ name: String, _ library: TestLibrary) -> [String] {
      let id = TestID(product: "P", library: library, name: name)
      return [id.suite, id.function]
    }
    #expect(split("Mod.S/`and/another.one`()", .testing) == ["Mod.S", "`and/another.one`()"])
    #expect(split("Mod.f()", .testing) == ["Mod", "f()"])
    #expect(split("Mod.C/x/y", .xctest) == ["Mod.C", "x/y"])
  }
}
