package import RunModel

/// Names of files that belong to one attempt at one test.
///
/// A name is made of a readable part, the attempt's number and a digest of the test ID:
/// `NotesTests.NoteTests_testTitle.a1.h5kq2mzrwx7e3vta`. The digest alone makes it unique, also
/// where case and Unicode normalization do not count; the readable part is for people and may be
/// cut. `bundles/index.jsonl` of the run record leads from the name back to the test ID.
package enum ArtifactName {
  /// Largest size of a name in bytes; leaves room for an extension within the 255 bytes that file
  /// systems allow.
  package static let maxBytes = 200

  private static let maxReadableBytes = 160

  /// The name without an extension.
  package static func stem(_ test: TestID, attempt: Int) -> String {
    let digest = base32(SHA256.digest(of: Array(test.description.utf8)).prefix(10))
    return "\(readablePart(test.name)).a\(attempt).\(digest)"
  }

  /// Letters, digits and marks of any script, and `.`, `-`, `_` inside the name; anything else
  /// becomes one `_`.
  private static func readablePart(_ name: String) -> String {
    var result = ""
    var bytes = 0
    var isGap = false
    for scalar in name.unicodeScalars {
      let isKept =
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9": true
        case ".", "-": !result.isEmpty
        default: scalar.value >= 0xA0 && isLetter(scalar)
        }
      guard isKept else {
        isGap = !result.isEmpty
        continue
      }
      let width = UTF8.width(scalar) + (isGap ? 1 : 0)
      guard bytes + width <= maxReadableBytes else { break }
      if isGap { result += "_" }
      isGap = false
      result.unicodeScalars.append(scalar)
      bytes += width
    }
    while result.hasSuffix(".") || result.hasSuffix("-") { result.removeLast() }
    return result.isEmpty ? "test" : result
  }

  private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
      .nonspacingMark, .spacingMark, .decimalNumber, .letterNumber, .otherNumber:
      true
    default: false
    }
  }
}
