/// A piece of Swift source, as far as names and literals need it.
struct SwiftToken: Hashable, Sendable {
  enum Kind: Hashable, Sendable {
    /// An identifier or keyword, without backticks.
    case word(String)
    /// A literal of any form; its interpolated expressions follow it as tokens of their own,
    /// between the symbols `(` and `)`.
    case string([StringPart])
    /// A byte of an operator or of punctuation.
    case symbol(UInt8)
  }

  var kind: Kind
  /// Of its first character, from 1.
  var line: Int

  func isSymbol(_ character: Unicode.Scalar) -> Bool {
    kind == .symbol(UInt8(ascii: character))
  }

  var word: String? {
    guard case .word(let text) = kind else { return nil }
    return text
  }

  /// The text of a string literal without interpolations.
  var literal: String? {
    guard case .string(let parts) = kind else { return nil }
    return parts.reduce(into: String?("")) { text, part in
      guard case .text(let more) = part else { return text = nil }
      text? += more
    }
  }

  /// A phrase as metadata has it: `${applicationName}` for `\(.applicationName)`, `${name}` for
  /// `\(\.$name)`, and `${?}` for what is only known when the app runs; `nil` for what is no
  /// literal.
  var phraseTemplate: String? {
    guard case .string(let parts) = kind else { return nil }
    return parts.map { part in
      switch part {
      case .text(let text): text
      case .interpolation(let source): "${\(StringPart.phraseName(source))}"
      }
    }.joined()
  }
}

/// A part of a string literal.
enum StringPart: Hashable, Sendable {
  /// As it is when the code runs.
  case text(String)
  /// The expression as it is written.
  case interpolation(String)

  /// The name of what a phrase interpolates.
  static func phraseName(_ source: String) -> String {
    var rest = source.filter { $0 != " " }[...]
    if rest == ".applicationName" { return "applicationName" }
    guard rest.first == "\\" else { return "?" }
    rest = rest.dropFirst()
    if rest.first == "." { rest = rest.dropFirst() }
    guard rest.first == "$" else { return "?" }
    return String(rest.dropFirst())
  }
}

/// A comment in Swift source.
struct SwiftComment: Hashable, Sendable {
  /// Without its slashes and stars.
  var text: String
  /// Where it ends, from 1.
  var line: Int
}
