import FoundationEssentials
import RunModel
import TestSupport
import Testing

@testable import Reporting

/// What every text goes through: right for any input, and in time that grows with its size only.
@Suite struct TextFunctionTests {
  private static let pieces = [
    "a", "\u{1B}", "\r", "\n", "\r\n", "\t", "é", "\u{E9}\u{301}", "🦊", "👩‍👩‍👧", "\u{202E}",
    "\u{200F}", "\u{85}",
    "\u{FFFE}", "\u{FFFF}", "\u{2028}", "\u{61C}", "\u{7F}", "\0", "表", "\"", "\\", "%", "<",
    "\u{D7FF}",
    "\u{FFFD}", "\u{10FFFF}", "\u{A0}", "🇩🇪", "\u{AD}", "\u{200B}", "\u{FEFF}", "\u{E0041}",
  ]

  private func text(seed: UInt64) -> String {
    var random = SeededGenerator(seed: seed)
    return (0..<Int.random(in: 0..<60, using: &random)).map { _ in
      Self.pieces[Int.random(in: 0..<Self.pieces.count, using: &random)]
    }.joined()
  }

  /// The definition, character by character.
  private func expected(_ text: String, _ form: VisibleForm) -> String {
    let scalars = Array(text.unicodeScalars)
    var result = ""
    for (index, scalar) in scalars.enumerated() {
      let isLineEnd = index + 1 < scalars.count && scalars[index + 1] == "\n"
      if form == .lines, scalar == "\r", isLineEnd { continue }
      if form == .lines, scalar == "\n" || scalar == "\t" || !scalar.isHidden {
        result.unicodeScalars.append(scalar)
      } else if scalar.isHidden {
        result += "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  @Test(arguments: 0..<300 as Range<UInt64>)
  func hiddenCharactersBecomeVisible(seed: UInt64) {
    let text = text(seed: seed)
    for form in [VisibleForm.line, .lines] {
      let safe = terminalSafe(text, as: form)
      #expect(Array(safe.utf8) == Array(expected(text, form).utf8))
    }
    let id = TestID(product: "P", library: .testing, name: "M.`\(text)`()")
    let visible = id.description
    #expect(!visible.unicodeScalars.contains { $0.isHidden })
    #expect(TestID(parsing: visible) == id)
  }

  @Test func everyHiddenCharacterIsFound() throws {
    for scalar in (0...0x10FFFF as ClosedRange<UInt32>).lazy.compactMap({ Unicode.Scalar($0) })
    where scalar.isHidden {
      let text = "a\(scalar)b"
      let escape = "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
      #expect(terminalSafe(text) == "a\(escape)b")
      var json = JSONText()
      json.string(text)
      #expect(!json.text.unicodeScalars.contains { $0.isHidden })
      let decoded = try JSONDecoder().decode([String].self, from: Data("[\(json.text)]".utf8))
      #expect(decoded.first?.utf8.elementsEqual(text.utf8) == true)
    }
  }

  @Test(arguments: 0..<300 as Range<UInt64>)
  func whatIsFittedNeverIsWider(seed: UInt64) {
    let text = text(seed: seed)
    for limit in [0, 1, 5, 40, 1000] {
      for fitted in [startFitting(text, columns: limit), endFitting(text, columns: limit)] {
        #expect(columnWidth(fitted) <= limit)
        if columnWidth(text) <= limit, limit > 0 { #expect(fitted == text) }
      }
    }
  }

  @Test(arguments: 0..<100 as Range<UInt64>)
  func theEndOfALogIsItsEnd(seed: UInt64) {
    let bytes = Array(text(seed: seed).utf8)
    for count in 0...bytes.count {
      let end = LogEnd(bytes.suffix(count), isWhole: count == bytes.count)
      #expect(end.bytes <= count && bytes.suffix(end.bytes) == Array(end.text.utf8)[...])
      if count == bytes.count { #expect(end.bytes == count) }
    }
  }

  /// A function that copies the rest of the text for each character would never end here.
  @Test(arguments: ["\u{1B}", "\u{202E}", "a\u{301}", "🇩", "<\r", "\n"])
  func mebibytesAreNoTrouble(unit: String) {
    let text = String(repeating: unit, count: (1 << 20) / unit.utf8.count)
    #expect(terminalSafe(text).utf8.count >= text.utf8.count)
    #expect(!terminalSafe(text, as: .lines).isEmpty)
    #expect(columnWidth(startFitting(text, columns: 80)) <= 80)
    #expect(columnWidth(endFitting(text, columns: 80)) <= 80)
    #expect(head(of: text, bytes: 1000).utf8.count <= 1000)
    #expect(tail(of: text, bytes: 1000).utf8.count <= 1000)
    #expect(lastLines(of: text, limit: 20).lines.count <= 20)
    #expect(!shellQuoted(text).isEmpty)
    var xml = XMLWriter(capacity: 0)
    xml.text(text)
    xml.attribute("a", text)
    #expect(xml.bytes.count >= 2 * text.utf8.count)
    var json = JSONText()
    json.string(text)
    #expect(json.text.utf8.count > text.utf8.count)
    let name = String(repeating: unit, count: (1 << 17) / unit.utf8.count)
    let id = TestID(product: "P", library: .testing, name: name)
    #expect(TestID(parsing: id.description) == id)
  }
}
