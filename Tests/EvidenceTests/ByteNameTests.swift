import TestSupport
import Testing

@testable import Evidence

@Suite struct ByteNameTests {
  @Test(arguments: [
    ("plain name.txt", "plain name.txt"),
    ("\u{1B}]0;title\u{7}", "\\u{1B}]0;title\\u{7}"),
    ("a\nb\rc\td", "a\\nb\\rc\\td"),
    ("c1\u{9B}31m", "c1\\u{9B}31m"),
    ("left\u{202E}right\u{2066}\u{200F}", "left\\u{202E}right\\u{2066}\\u{200F}"),
    ("line\u{2028}para\u{2029}", "line\\u{2028}para\\u{2029}"),
    ("back\\slash", "back\\\\slash"),
    ("del\u{7F}", "del\\u{7F}"),
    ("résumé 학점 👩‍🚀", "résumé 학점 👩‍🚀"),
    ("joined\u{200C}\u{200D}", "joined\u{200C}\u{200D}"),
    ("private\u{E000}", "private\\u{E000}"),
    ("unassigned\u{378}", "unassigned\\u{378}"),
    ("bom\u{FEFF}", "bom\\u{FEFF}"),
  ])
  func displayNamesArePrintable(_ name: String, _ expected: String) {
    #expect(ByteName(name).displayName == expected)
  }

  @Test func bytesThatAreNoTextAreShown() {
    #expect(ByteName(bytes: [97, 0xFF, 0x80, 98]).displayName == "a\\xff\\x80b")
    #expect(ByteName(bytes: [0xE9]).displayName == "\\xe9")
    // A surrogate, an overlong form, a character that is cut off.
    #expect(ByteName(bytes: [0xED, 0xA0, 0x80]).displayName == "\\xed\\xa0\\x80")
    #expect(ByteName(bytes: [0xC0, 0xAF]).displayName == "\\xc0\\xaf")
    #expect(ByteName(bytes: [0xF0, 0x9F, 0x9A]).displayName == "\\xf0\\x9f\\x9a")
  }

  @Test func noByteStringReachesATerminalUnescaped() {
    var random = SeededGenerator(seed: 7)
    for _ in 0..<2_000 {
      let bytes = (0..<Int(random.next() % 24)).map { _ in UInt8(truncatingIfNeeded: random.next())
      }
      let shown = ByteName(bytes: bytes).displayName
      #expect(
        shown.unicodeScalars.allSatisfy { scalar in
          !(0..<0x20).contains(scalar.value) && !(0x7F..<0xA0).contains(scalar.value)
            && !(0x202A...0x202E).contains(scalar.value)
            && !(0x2066...0x2069).contains(scalar.value)
        })
      #expect(ByteName(percentEncoded: ByteName(bytes: bytes).percentEncoded)?.bytes == bytes)
    }
  }

  @Test(arguments: ["%", "%4", "%zz", "a%+1", "%-1"])
  func brokenEscapesAreRefused(_ text: String) {
    #expect(ByteName(percentEncoded: text) == nil)
  }
}
