import RunModel
import Testing

@testable import Evidence

@Suite struct ArtifactNameTests {
  private func id(_ name: String, product: String = "P") -> TestID {
    TestID(product: product, library: .testing, name: name)
  }

  @Test(arguments: [
    String(repeating: "a", count: 300), String(repeating: "漢", count: 120), "M.S/../x()", "..",
    "/", "M.`a \\0 \u{1} name`()", "M.f(\n)", "🎉", "M.S/`quoted \"x\" & <y>`()", "-rf", ".hidden",
  ])
  func namesAreValid(_ name: String) {
    for attempt in [1, 12] {
      let stem = ArtifactName.stem(id(name), attempt: attempt)
      #expect(stem.utf8.count <= ArtifactName.maxBytes)
      #expect(stem.contains(".a\(attempt)."))
      #expect(!stem.hasPrefix(".") && !stem.hasPrefix("-") && !stem.contains("/"))
      #expect(ByteName(stem).displayName == stem)
      #expect(!stem.contains { "\\\"':<>|*?& \n".contains($0) })
    }
  }

  @Test func namesTellTestsApart() {
    let long = String(repeating: "x", count: 290)
    let tests = [
      id(long + "a"), id(long + "b"), id("M.test()"), id("M.Test()"), id("M.S/a b"), id("M.S/a_b"),
      id("M.résumé()"), id("M.re\u{301}sume\u{301}()"), id("M.test()", product: "Q"),
      TestID(product: "P", library: .xctest, name: "M.test()"),
    ]
    let names = tests.flatMap { test in (1...2).map { ArtifactName.stem(test, attempt: $0) } }
    #expect(Set(names.map { $0.lowercased() }).count == names.count)
  }

  @Test func aNameIsReadable() {
    let stem = ArtifactName.stem(id("NotesTests.Notes/title(of:)"), attempt: 2)
    #expect(stem.hasPrefix("NotesTests.Notes_title_of.a2."))
    #expect(stem == ArtifactName.stem(id("NotesTests.Notes/title(of:)"), attempt: 2))
  }

  @Test func fixtureTokensFollowSeedAndTest() {
    let token = FixtureToken.make(seed: "s", test: id("M.a()"))
    #expect(token == FixtureToken.make(seed: "s", test: id("M.a()")))
    #expect(token != FixtureToken.make(seed: "t", test: id("M.a()")))
    #expect(token != FixtureToken.make(seed: "s", test: id("M.b()")))
    #expect(token.count == 16 && token.allSatisfy { $0.isLowercase || ("2"..."7").contains($0) })
  }

  @Test func digestsAreThoseOfTheStandard() {
    #expect(
      hexadecimal(SHA256.digest(of: Array("abc".utf8)))
        == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    #expect(base32(Array("foobar".utf8)) == "mzxw6ytboi")
    #expect(base32(Array("f".utf8)) == "my")
  }
}
