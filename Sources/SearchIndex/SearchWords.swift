@_spi(_Unicode) import Swift

/// How texts become words of the index, and what somebody types becomes a query for them.
///
/// The tokenizer of SQLite folds case and takes off diacritics, but takes a run of Chinese or
/// Japanese for one word; here each such character is a word of its own, so that one to three of
/// them are found wherever they stand.
enum SearchWords {
  /// The text that is given to the tokenizer.
  static func indexed(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    var isAfterIdeograph = false
    // Composed, so that Korean syllables and voiced kana are one character each.
    for scalar in text._nfc {
      let isIdeograph = isIdeograph(scalar)
      if isIdeograph || isAfterIdeograph { result.append(" ") }
      result.append(scalar)
      isAfterIdeograph = isIdeograph
    }
    return String(result)
  }

  /// The query of FTS5 for what somebody typed: all of its words, each as the beginning of a word;
  /// neighbouring ideographs as a phrase. `nil` when there is nothing to search for.
  ///
  /// Every word stands in quotes, so nothing in it is syntax of a query
  /// (https://www.sqlite.org/fts5.html#fts5_strings).
  ///
  /// - Parameter field: The only field to search; `nil` for all.
  static func query(_ text: String, field: SearchField? = nil) -> String? {
    var terms: [String] = []
    for run in runs(text) {
      let quoted = "\"\(indexed(run.text).replacing("\"", with: "\"\""))\""
      // The last ideograph is a whole word, any other word may go on.
      terms.append(run.isIdeographic ? quoted : quoted + " *")
    }
    guard !terms.isEmpty else { return nil }
    let all = terms.joined(separator: " AND ")
    return field.map { "\($0.rawValue) : (\(all))" } ?? all
  }

  private struct Run {
    var text: String
    var isIdeographic: Bool
  }

  /// Words of letters and digits, and runs of ideographs.
  private static func runs(_ text: String) -> [Run] {
    var runs: [Run] = []
    var current = String.UnicodeScalarView()
    var isIdeographic = false
    func finish() {
      if !current.isEmpty { runs.append(Run(text: String(current), isIdeographic: isIdeographic)) }
      current = String.UnicodeScalarView()
    }
    for scalar in text._nfc {
      guard isPartOfWord(scalar) else {
        finish()
        continue
      }
      let ideograph = self.isIdeograph(scalar)
      if ideograph != isIdeographic { finish() }
      isIdeographic = ideograph
      current.append(scalar)
    }
    finish()
    return runs
  }

  /// What unicode61 takes for part of a token: letters, numbers and private characters; and marks,
  /// which it takes off.
  private static func isPartOfWord(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
      .decimalNumber, .letterNumber, .otherNumber, .privateUse, .nonspacingMark, .spacingMark:
      true
    default: false
    }
  }

  /// Scripts that are written without spaces between words, and Hangul, whose words are searched by
  /// syllable.
  private static func isIdeograph(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x3040...0x30FF, 0x31F0...0x31FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xAC00...0xD7A3,
      0xF900...0xFAFF, 0xFF66...0xFF9F, 0x20000...0x323AF, 0x3005...0x3007, 0x3100...0x312F:
      true
    default: false
    }
  }
}

/// The fields that are searched, as columns of the index.
package enum SearchField: String, CaseIterable, Sendable {
  case title, displayName, alternateNames, contentDescription, keywords, textContent
}
