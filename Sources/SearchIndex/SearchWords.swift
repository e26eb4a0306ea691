@_spi(_Unicode) import Swift

/// How texts become words of the index, and what somebody types becomes a query for them.
///
/// The tokenizer of SQLite folds case and takes off diacritics, but takes a run of Chinese or
/// Japanese for one word; here each such character is a word of its own, so that one to three of
/// them are found wherever they stand.
enum SearchWords {
  /// Words of a text that are searched for; an ideograph counts as one. The time that a search
  /// takes grows faster than the number of its words.
  static let maximumWords = 1000

  /// The text that is given to the tokenizer.
  static func indexed(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    var isAfterSingle = false
    for scalar in folded(text) {
      let kind = kind(of: scalar)
      if kind == .single || isAfterSingle { result.append(" ") }
      // The tokenizer would take other symbols for parts of words.
      result.append(kind == .symbol ? " " : scalar)
      isAfterSingle = kind == .single
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
  /// - Throws: ``SearchIndexError`` with the code `queryTooLong`.
  static func query(
    _ text: String, field: SearchField? = nil
  ) throws(SearchIndexError) -> String? {
    var terms: [String] = []
    var known: Set<String> = []
    var words = 0
    for run in runs(text) {
      let quoted = "\"\(run.words.joined(separator: " "))\""
      // The last ideograph is a whole word, any other word may go on.
      let term = run.isOfSingles ? quoted : quoted + " *"
      guard known.insert(term).inserted else { continue }
      words += run.words.count
      terms.append(term)
    }
    guard words <= maximumWords else { throw SearchIndexError(words: words) }
    guard !terms.isEmpty else { return nil }
    let all = terms.joined(separator: " AND ")
    return field.map { "\($0.rawValue) : (\(all))" } ?? all
  }

  private struct Run {
    /// One word of letters and digits, or ideographs.
    var words: [String]
    var isOfSingles: Bool
  }

  /// Words of letters and digits, and runs of ideographs.
  private static func runs(_ text: String) -> [Run] {
    var runs: [Run] = []
    var word = String.UnicodeScalarView()
    var singles: [String] = []
    func finish() {
      if !word.isEmpty { runs.append(Run(words: [String(word)], isOfSingles: false)) }
      if !singles.isEmpty { runs.append(Run(words: singles, isOfSingles: true)) }
      word = String.UnicodeScalarView()
      singles = []
    }
    for scalar in folded(text) {
      switch kind(of: scalar) {
      case .part:
        if !singles.isEmpty { finish() }
        word.append(scalar)
      case .single:
        if !word.isEmpty { finish() }
        singles.append(String(Character(scalar)))
      case .ignored: break
      case .symbol, .separator: finish()
      }
    }
    finish()
    return runs
  }

  /// A text as both sides of a comparison see it: composed, so that Korean syllables and voiced
  /// kana are one character each; letters that are several in capitals (ß) as these; kana of half
  /// width and letters of full width as the usual ones.
  private static func folded(_ text: String) -> String.UnicodeScalarView {
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.unicodeScalars }
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0xFF01...0xFF5E, 0xFF66...0xFF9F:
        result.append(usualWidth(scalar))
      case 0xDF, 0x1E9E, 0xFB00...0xFB06, 0xFB13...0xFB17:
        let letters = scalar.value == 0x1E9E ? "SS" : scalar.properties.uppercaseMapping
        result.append(contentsOf: letters.lowercased().unicodeScalars)
      default: result.append(scalar)
      }
    }
    var composed = String.UnicodeScalarView()
    for scalar in String(result)._nfc { composed.append(scalar) }
    return composed
  }

  /// Of U+FF66 to U+FF9F, in their order (the block Halfwidth and Fullwidth Forms of Unicode); the
  /// marks of voiced kana are those that are composed with what stands before them.
  private static let usualKana = Array(
    "ヲァィゥェォャュョッーアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン\u{3099}\u{309A}"
      .unicodeScalars)

  private static func usualWidth(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    if scalar.value >= 0xFF66 { return usualKana[Int(scalar.value - 0xFF66)] }
    return Unicode.Scalar(scalar.value - 0xFEE0) ?? scalar
  }

  private enum Kind {
    /// A word by itself: an ideograph, an emoji.
    case single
    /// Part of a word. What unicode61 takes for part of a token: letters, numbers and private
    /// characters; and marks, which it takes off.
    case part
    /// A symbol that is no emoji; stands between words.
    case symbol
    case separator
    /// Says how the character before it is drawn.
    case ignored
  }

  private static func kind(of scalar: Unicode.Scalar) -> Kind {
    if scalar.value < 0x80 {
      switch UInt8(scalar.value) {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        return .part
      default: return .separator
      }
    }
    if isIdeograph(scalar) { return .single }
    if (0xFE00...0xFE0F).contains(scalar.value) { return .ignored }
    switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
      .decimalNumber, .letterNumber, .otherNumber, .privateUse, .nonspacingMark, .spacingMark:
      return .part
    case .otherSymbol:
      return scalar.properties.isEmoji && scalar.value >= 0x2190 ? .single : .symbol
    default: return .separator
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
