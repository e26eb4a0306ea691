import Foundation
import Testing

@Suite struct PackedTests {
  @Test("finds its resource") func findsItsResource() throws {
    let url = try #require(
      Bundle.module.url(forResource: "text", withExtension: "txt", subdirectory: "Resources"))
    #expect(try String(contentsOf: url, encoding: .utf8) == "resource\n")
  }

  @Test(arguments: [1, 2]) func counts(number: Int) { #expect(number > 0) }
}
