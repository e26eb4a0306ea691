import RunModel
import Testing

@Suite struct TestIDTests {
  static let names: [String] = [
    "Mod.Class/testA", "Mod.f()", "Mod.Suite/Nested/f(_:b:)", "Mod.S/`and/another.one \"q\" <x>`()",
    "Mod.Class/a, b", "Mod.Class/x/y", "Mod.Class/works. right?", "Mod.S/`🦊 100%`()",
    "Mod.Class/tab\there\nand newline\u{1B}[0m", "Mod.S/`a:b`()", "M.S/f()@File.swift:1:2",
  ]

  @Test(arguments: names, TestLibrary.allCases)
  func printedFormParsesBack(name: String, library: TestLibrary) throws {
    for product in ["PkgPackageTests", "a:b%c", "ü\n"] {
      let id = TestID(product: product, library: library, name: name)
      #expect(TestID(parsing: id.description) == id)
      #expect(!id.description.unicodeScalars.contains { $0.value < 32 })
    }
  }

  @Test(arguments: ["", "a", "a:xctest", "a:junit:b", ":xctest:b", "a:xctest:", "a:xctest:%G1"])
  func malformedTextIsRefused(text: String) {
    #expect(TestID(parsing: text) == nil)
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
