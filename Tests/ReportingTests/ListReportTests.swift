import FoundationEssentials
import Reporting
import RunModel
import Testing

@Suite struct ListReportTests {
  static let tests: [TestDescriptor] = [
    TestDescriptor(id: SampleRun.id("NotesTests.NoteTests/testTitle", library: .xctest)),
    TestDescriptor(
      id: SampleRun.id("NotesTests.Notes/`and/another.one \"q\" <x>`()"), displayName: "Ünïcode 🦊",
      location: SourceLocation(file: "/home/u/Notes/Tests/NoteTests.swift", line: 7, column: 4),
      isParameterized: true, tags: [".slow", "Tag.\"odd\""]),
    TestDescriptor(id: SampleRun.id("M.f()", product: "A")),
    TestDescriptor(id: SampleRun.id("M.f()", product: "B:C")),
    TestDescriptor(id: SampleRun.id("M.C/tab\there\u{1B}\u{202E}\n", library: .xctest)),
  ]

  /// Names that look the same are told apart, by what `--test` takes.
  @Test func lookalikesAreToldApart() {
    let names = ["M.S/caf\u{E9}()", "M.S/cafe\u{301}()", "M.S/\u{E9}()"]
    let tests = names.map { TestDescriptor(id: SampleRun.id($0, product: "P")) }
    let lines = ListReport.text(tests).split(separator: "\n").map(String.init)
    #expect(
      lines == ["P:testing:M.S/caf%C3%A9()", "P:testing:M.S/cafe%CC%81()", "M.S/\u{E9}()"])
    #expect(lines.prefix(2).map(TestID.init(parsing:)) == tests.prefix(2).map(\.id))
  }

  private struct Listing: Decodable {
    struct Test: Decodable {
      var id: String
      var product: String
      var library: String
      var name: String
      var displayName: String?
      var file: String?
      var line: Int?
      var tags: [String]
      var parameterized: Bool
    }
    var format: String
    var tests: [Test]
  }

  @Test func textForm() throws {
    try expectSnapshot(ListReport.text(Self.tests), "list.txt")
    #expect(ListReport.text([]) == "")
  }

  @Test func jsonForm() throws {
    let json = ListReport.json(Self.tests)
    try expectSnapshot(json, "list.json")
    #expect(!json.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" || $0 == "\u{202E}" })
    let listing = try JSONDecoder().decode(Listing.self, from: Data(json.utf8))
    #expect(listing.format == "1.0")
    #expect(listing.tests.map { TestID(parsing: $0.id) } == Self.tests.map(\.id))
    #expect(listing.tests.map(\.name) == Self.tests.map(\.id.name))
    #expect(listing.tests.map(\.product) == Self.tests.map(\.id.product))
    #expect(listing.tests.map(\.library) == Self.tests.map(\.id.library.rawValue))
    #expect(listing.tests.map(\.displayName) == Self.tests.map(\.displayName))
    #expect(listing.tests.map(\.file) == Self.tests.map(\.location?.file))
    #expect(listing.tests.map(\.line) == Self.tests.map(\.location?.line))
    #expect(listing.tests.map(\.tags) == Self.tests.map(\.tags))
    #expect(listing.tests.map(\.parameterized) == Self.tests.map(\.isParameterized))
  }

  @Test func emptyListing() throws {
    let listing = try JSONDecoder().decode(Listing.self, from: Data(ListReport.json([]).utf8))
    #expect(listing.tests.isEmpty)
  }
}
