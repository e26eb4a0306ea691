extension Unicode.Scalar {
  /// Whether a terminal does not show the character as what it is.
  ///
  /// Hidden are control and formatting characters, separators of lines and paragraphs, and code
  /// points that are no characters. The joiners U+200C and U+200D are not: names and emoji need
  /// them.
  package var isHidden: Bool {
    switch value {
    case 0x20..<0x7F: return false
    case 0..<0xA0: return true
    case 0x200C, 0x200D: return false
    case 0xFDD0...0xFDEF: return true
    default: break
    }
    if value & 0xFFFE == 0xFFFE { return true }
    switch properties.generalCategory {
    case .format, .lineSeparator, .paragraphSeparator: return true
    default: return false
    }
  }
}
