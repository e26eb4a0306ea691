/// The library that a test is written for.
package enum TestLibrary: String, Codable, CaseIterable, Sendable, Comparable {
  /// XCTest (swift-corelibs-xctest on Linux).
  case xctest
  /// Swift Testing.
  case testing

  package static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }

  /// The library's name for people.
  package var displayName: String {
    switch self {
    case .xctest: "XCTest"
    case .testing: "Swift Testing"
    }
  }
}

/// Names one test of one test product, without loss.
///
/// The printed form is `PRODUCT:LIBRARY:NAME`, for example
/// `NotesPackageTests:xctest:NotesTests.NoteTests/testTitle` or
/// `NotesPackageTests:testing:NotesTests.Notes/title(of:)`. See ``init(parsing:)`` for the escapes.
package struct TestID: Hashable, Sendable {
  /// The test product that holds the test, as SwiftPM names it.
  package var product: String
  /// The library that runs the test.
  package var library: TestLibrary
  /// The test's name within product and library: `Module.Class/method` for XCTest,
  /// `Module.Suite/function(labels:)` for Swift Testing, followed by `@File.swift:LINE:COLUMN` when
  /// the product has several functions of that name.
  package var name: String

  package init(product: String, library: TestLibrary, name: String) {
    self.product = product
    self.library = library
    self.name = name
  }

  /// Parses the printed form.
  ///
  /// In the product `%`, `:` and hidden characters are written as `%XX` (UTF-8 bytes in
  /// hexadecimal); in the name `%` and hidden characters are. Everything else stands for itself,
  /// so names with quotes, slashes, dots, commas and emoji need no quoting beyond the shell's.
  ///
  /// Hidden are control characters, formatting characters but the two joiners (marks that change
  /// the writing direction are among them), separators of lines, and code points that are no
  /// characters. Any character may be written as `%XX`.
  ///
  /// - Returns: `nil` when the text has no product, an unknown library, or a broken escape.
  package init?(parsing text: String) {
    let parts = text.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3,
      let product = percentDecoded(parts[0]), !product.isEmpty,
      let library = TestLibrary(rawValue: String(parts[1])),
      let name = percentDecoded(parts[2]), !name.isEmpty
    else { return nil }
    self.init(product: product, library: library, name: name)
  }

  /// The name in printable form: hidden characters and `%` are written as `%XX`.
  package var printableName: String { percentEncoded(name) }

  /// The name of a printable form, whichever characters it escapes.
  ///
  /// - Returns: `nil` when the text has a broken escape.
  package static func name(ofPrinted text: String) -> String? { percentDecoded(text[...]) }

  /// The suite: everything before the last component of the name, or the module for a free
  /// function.
  package var suite: String {
    splitName.suite
  }

  /// The last component of the name: the method or function.
  package var function: String {
    splitName.function
  }

  /// Splits at the last slash that is outside of a raw identifier's backquotes and of parentheses;
  /// XCTest names split at the first slash because a class name cannot hold one.
  private var splitName: (suite: String, function: String) {
    if library == .xctest {
      guard let slash = name.firstIndex(of: "/") else { return ("", name) }
      return (String(name[..<slash]), String(name[name.index(after: slash)...]))
    }
    var inQuotes = false
    var depth = 0
    var lastSlash: String.Index?
    var firstDot: String.Index?
    for index in name.indices {
      switch name[index] {
      case "`": inQuotes.toggle()
      case "(" where !inQuotes: depth += 1
      case ")" where !inQuotes: depth -= 1
      case "/" where !inQuotes && depth == 0: lastSlash = index
      case "." where !inQuotes && depth == 0 && firstDot == nil: firstDot = index
      default: break
      }
    }
    guard let split = lastSlash ?? firstDot else { return ("", name) }
    return (String(name[..<split]), String(name[name.index(after: split)...]))
  }
}

extension TestID {
  package var description: String {
    let product = percentEncoded(product, alsoEscaping: UInt8(ascii: ":"))
    return "\(product):\(library.rawValue):\(printableName)"
  }
}

/// Compared by bytes; see ``ExactText``.
extension TestID: Comparable {
  package static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.library == rhs.library && ExactText(lhs.name) == ExactText(rhs.name)
      && ExactText(lhs.product) == ExactText(rhs.product)
  }

  package static func < (lhs: Self, rhs: Self) -> Bool { lhs.exact < rhs.exact }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(ExactText(product))
    hasher.combine(library)
    hasher.combine(ExactText(name))
  }

  private var exact: (ExactText, TestLibrary, ExactText) {
    (ExactText(product), library, ExactText(name))
  }
}

extension TestID: CodedAsText {
  package static var kindOfText: String { "a test ID" }
}

/// Writes `%`, hidden characters and the given ASCII byte as `%XX`.
private func percentEncoded(_ text: String, alsoEscaping extra: UInt8? = nil) -> String {
  // Most names need nothing, and each event of a test is written with one.
  let isPlain = text.utf8.allSatisfy { byte in
    byte >= 0x20 && byte < 0x7F && byte != UInt8(ascii: "%") && byte != extra
  }
  if isPlain { return text }
  func mustEscape(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "%" || scalar.isHidden || extra.map { scalar == Unicode.Scalar($0) } ?? false
  }
  let digits = Array("0123456789ABCDEF")
  var result = ""
  for scalar in text.unicodeScalars {
    if mustEscape(scalar) {
      for byte in String(Character(scalar)).utf8 {
        result += "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
      }
    } else {
      result.unicodeScalars.append(scalar)
    }
  }
  return result
}

/// Reverses ``percentEncoded(_:alsoEscaping:)``; `nil` for a broken escape or invalid UTF-8.
private func percentDecoded(_ text: Substring) -> String? {
  guard text.utf8.contains(UInt8(ascii: "%")) else { return String(text) }
  var bytes: [UInt8] = []
  var iterator = text.utf8.makeIterator()
  func digit(_ byte: UInt8?) -> UInt8? {
    switch byte {
    case .some(let value) where (48...57).contains(value): value - 48
    case .some(let value) where (65...70).contains(value): value - 55
    case .some(let value) where (97...102).contains(value): value - 87
    default: nil
    }
  }
  while let byte = iterator.next() {
    if byte == UInt8(ascii: "%") {
      guard let high = digit(iterator.next()), let low = digit(iterator.next()) else { return nil }
      bytes.append(high << 4 | low)
    } else {
      bytes.append(byte)
    }
  }
  return String(validating: bytes, as: UTF8.self)
}
