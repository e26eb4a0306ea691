import SwiftTests
import Testing

@Suite struct FilterPatternTests {
  static let identifiers = [
    "Mod.f()/A.swift:1:2", "Mod.f()/A.swift:1:20", "Mod.f(_:)/A.swift:3:2", "Mod.S/f()/A.swift:4:2",
    "Mod.S/ff()/A.swift:5:2", "Mod.S/T/f()/A.swift:6:2", "Mod.`S.*`/f()/A.swift:7:2",
    "Mod.S/`and/another.one \"q\" <x> (y)`()/A.swift:8:2", "Mod.S/`[a-z]+|b? {2}`()/A.swift:9:2",
    "Mod.S/`^$ \\d & ~ # -`()/A.swift:10:2", "Mod.S/`emoji 👩‍👩‍👧 é`()/A.swift:11:2",
    "ModX.f()/A.swift:1:2", "Mod.S/f()/B.swift:4:2",
  ]

  /// As Swift Testing matches: anywhere in the identifier.
  func matches(_ pattern: String) throws -> [String] {
    let regex = try Regex(pattern)
    return Self.identifiers.filter { $0.contains(regex) }
  }

  let patterns = FilterPatterns(identifiers)

  @Test func eachIdentifierIsMatchedAlone() throws {
    for identifier in Self.identifiers {
      #expect(try matches(patterns.pattern(selecting: [identifier])) == [identifier])
    }
  }

  @Test func whatIsNotTheProductsMatchesNothing() throws {
    #expect(try matches(patterns.pattern(selecting: ["Mod.gone()/A.swift:1:2"])).isEmpty)
  }

  @Test func identifierThatBeginsAnotherIsMatchedAlone() throws {
    let patterns = FilterPatterns(["M.a", "M.ab", "M.abc", "M.b"])
    for set in [
      ["M.a"], ["M.ab"], ["M.abc"], ["M.a", "M.abc"], ["M.a", "M.ab"], ["M.ab", "M.b"],
    ] {
      let regex = try Regex(patterns.pattern(selecting: set))
      #expect(["M.a", "M.ab", "M.abc", "M.b"].filter { $0.contains(regex) } == set)
    }
  }

  @Test func neighboursNeedLittle() {
    let names = (0..<500).map { "Mod.S\($0 / 100)/case\($0)()/F.swift:\($0):2" }
    let pattern = FilterPatterns(names).pattern(selecting: names[0..<250])
    #expect(pattern.utf8.count < 200)
  }

  @Test func anySetIsMatchedExactly() throws {
    for bits in stride(from: 1, to: 1 << Self.identifiers.count, by: 37) {
      let set = Self.identifiers.indices.filter { bits >> $0 & 1 == 1 }.map { Self.identifiers[$0] }
      #expect(try matches(patterns.pattern(selecting: set)) == set)
    }
  }
}
