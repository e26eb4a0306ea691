import RunModel
import Testing
import Workers

@testable import SwiftTests

@Suite struct ListingTests {
  static let product = TestProduct(name: "PPackageTests", executable: "/p/PPackageTests.xctest")

  func list(
    _ library: TestLibrary, _ lines: [String], end: ProcessEnd = .exited(0)
  ) throws -> [TestDescriptor] {
    var listing = Listing(product: Self.product, library: library)
    var text = lines.map { $0 + "\n" }.joined()
    text.withUTF8 { listing.feed(.channel, UnsafeRawBufferPointer($0)) }
    var output = "what the process printed"
    output.withUTF8 { listing.feed(.stderr, UnsafeRawBufferPointer($0)) }
    return try listing.result(end: end)
  }

  static let hello = #"{"k":"hello","pid":1}"#
  static let closed = #"{"k":"closed","executed":2}"#

  func function(_ id: String, line: Int = 1, file: String = "F.swift") -> String {
    let escaped = id.replacing("\"", with: "\\\"")
    return "{\"version\":0,\"kind\":\"test\",\"payload\":{\"kind\":\"function\",\"name\":\"f()\","
      + "\"id\":\"\(escaped)/\(file):\(line):2\",\"isParameterized\":false,\"_tags\":[\".slow\"],"
      + "\"sourceLocation\":{\"_filePath\":\"/p/\(file)\",\"line\":\(line),\"column\":2}}}"
  }

  @Test func xctestNamesAreTakenAsTheyAre() throws {
    let tests = try list(
      .xctest,
      [
        Self.hello, #"{"k":"test","c":"M.C","m":"a, b"}"#, #"{"k":"test","c":"M.C","m":"x\/y"}"#,
        #"{"k":"test","c":"M.C","m":"works. right?"}"#, Self.closed,
      ])
    #expect(tests.map(\.id.name) == ["M.C/a, b", "M.C/x/y", "M.C/works. right?"])
  }

  /// Each of these is no list of zero tests.
  @Test(arguments: [
    ([String](), ProcessEnd.exited(0)), ([hello], .exited(0)), ([hello, closed], .signaled(11)),
    ([hello, closed], .exited(1)), ([hello, #"{"k":"test","c":"M.C","m":"a"}"#], .exited(0)),
  ])
  func listingThatDoesNotEndProperlyIsAnError(lines: [String], end: ProcessEnd) {
    let error = #expect(throws: SwiftTestsError.self) { try list(.xctest, lines, end: end) }
    #expect(error?.code == .listingFailed)
    #expect(error?.output == "what the process printed")
  }

  @Test func functionsComeInTheOrderOfTheSources() throws {
    let tests = try list(
      .testing,
      [
        Self.hello, function("M.S/b()", line: 9), function("M.a()", line: 20),
        function("M.S/`x/y.z \"q\"`()", line: 3), function("M.f()", line: 1, file: "A.swift"),
      ])
    #expect(
      tests.map(\.id.name) == ["M.f()", "M.S/`x/y.z \"q\"`()", "M.S/b()", "M.a()"])
    #expect(tests[2].libraryID == "M.S/b()/F.swift:9:2")
    #expect(tests[2].location == SourceLocation(file: "/p/F.swift", line: 9, column: 2))
    #expect(tests[2].tags == [".slow"])
  }

  @Test func functionsOfOneNameAreToldApartByTheirPlaces() throws {
    let tests = try list(
      .testing,
      [Self.hello, function("M.f()", line: 1), function("M.f()", line: 5), function("M.g()")])
    #expect(
      Set(tests.map(\.id.name)) == ["M.f()@F.swift:1:2", "M.f()@F.swift:5:2", "M.g()"])
    #expect(Set(tests.map(\.libraryID)).count == 3)
  }

  @Test func productWithoutSwiftTestingTestsIsNoError() throws {
    #expect(try list(.testing, [Self.hello], end: .exited(69)).isEmpty)
    // A product with a main of its own that only knows XCTest.
    #expect(try list(.testing, [Self.hello, Self.closed]).isEmpty)
    #expect(throws: SwiftTestsError.self) { try list(.testing, [], end: .exited(69)) }
    #expect(throws: SwiftTestsError.self) {
      try list(.testing, [Self.hello, function("M.f()")], end: .exited(69))
    }
  }

  @Test(arguments: [
    ("M.f()/F.swift:1:2", "M.f()"), ("M.S/`a/b:1:2`()/F.swift:1:2", "M.S/`a/b:1:2`()"),
    ("M.f()", "M.f()"), ("M.S/f()", "M.S/f()"), ("M.f()/My File: x.swift:10:20", "M.f()"),
  ])
  func placeIsCutOff(libraryID: String, name: String) {
    #expect(nameWithoutLocation(libraryID) == name)
  }
}
