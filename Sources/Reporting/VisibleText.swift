import RunModel

/// Which characters a text for people keeps as they are.
enum VisibleForm {
  /// Everything on one line: line ends and tabs are escaped too.
  case line
  /// Line feeds and tabs stay; a carriage return before a line feed is dropped.
  case lines
}

/// The text with everything that could drive a terminal or hide text written visibly.
///
/// Each hidden character (`Unicode.Scalar.isHidden`) becomes `\u{HEX}`, for example `\u{1B}` for
/// ESC.
func terminalSafe(_ text: String, as form: VisibleForm = .line) -> String {
  replacingHidden(in: text) { value, next, bytes in
    switch (value, form) {
    case (0x0A, .lines), (0x09, .lines): bytes.append(UInt8(value))
    case (0x0D, .lines) where next == 0x0A: break
    default: bytes.append(contentsOf: visibleEscape(value).utf8)
    }
  }
}

/// The text with each hidden character replaced, in one pass over its bytes.
///
/// - Parameter replace: Appends what is written for a scalar value; it also gets the byte after it.
func replacingHidden(
  in text: String, _ replace: (UInt32, _ next: UInt8?, inout [UInt8]) -> Void
) -> String {
  guard text.utf8.contains(where: mayBeginHidden) else { return text }
  var text = text
  var result: [UInt8] = []
  text.withUTF8 { source in
    result.reserveCapacity(source.count + 64)
    var start = 0
    var index = 0
    while index < source.count {
      guard mayBeginHidden(source[index]) else {
        index += 1
        continue
      }
      let (value, length) = scalar(in: source, at: index)
      if Unicode.Scalar(value)?.isHidden ?? false {
        result.append(contentsOf: source[start..<index])
        let next = index + length
        replace(value, next < source.count ? source[next] : nil, &result)
        start = next
      }
      index += length
    }
    result.append(contentsOf: source[start...])
  }
  return String(decoding: result, as: UTF8.self)
}

/// The scalar value that begins at a byte of valid UTF-8, and the number of its bytes.
private func scalar(
  in source: UnsafeBufferPointer<UInt8>, at index: Int
) -> (value: UInt32, length: Int) {
  func part(_ offset: Int) -> UInt32 { UInt32(source[index + offset] & 0x3F) }
  let first = UInt32(source[index])
  return switch first {
  case 0..<0x80: (first, 1)
  case 0..<0xE0: ((first & 0x1F) << 6 | part(1), 2)
  case 0..<0xF0: ((first & 0x0F) << 12 | part(1) << 6 | part(2), 3)
  default: ((first & 0x07) << 18 | part(1) << 12 | part(2) << 6 | part(3), 4)
  }
}

/// `\u{HEX}`, the form in which reports show a character that they must not hold.
func visibleEscape(_ value: UInt32) -> String {
  "\\u{\(String(value, radix: 16, uppercase: true))}"
}

/// Whether a hidden character can begin with the byte: a cheap first look.
func mayBeginHidden(_ byte: UInt8) -> Bool {
  switch byte {
  case 0..<0x20, 0x7F, 0xC2, 0xD8...0xDC, 0xE0...0xE2, 0xEF...0xF4: true
  default: false
  }
}

/// The text as one word of a POSIX shell; `$'...'` (bash, zsh, ksh) when it has control characters.
func shellQuoted(_ text: String) -> String {
  func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "%+,-./:=@_".utf8.contains(byte)
    }
  }
  if !text.isEmpty && text.utf8.allSatisfy(isPlain) { return text }
  if terminalSafe(text) == text {
    let parts = text.split(separator: "'", omittingEmptySubsequences: false)
    return "'" + parts.joined(separator: "'\\''") + "'"
  }
  var result = "$'"
  for byte in text.utf8 {
    switch byte {
    case UInt8(ascii: "'"), UInt8(ascii: "\\"): result += "\\\(Character(Unicode.Scalar(byte)))"
    case 0x20..<0x7F: result.unicodeScalars.append(Unicode.Scalar(byte))
    default: result += "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
  }
  return result + "'"
}

/// The path relative to the folder when it lies inside, else the path as it is.
func displayPath(_ path: String, in folder: String?) -> String {
  guard var folder, !folder.isEmpty else { return path }
  if !folder.hasSuffix("/") { folder += "/" }
  guard path.utf8.count > folder.utf8.count, path.utf8.starts(with: folder.utf8) else {
    return path
  }
  return String(decoding: path.utf8.dropFirst(folder.utf8.count), as: UTF8.self)
}

/// Joins a folder and a path relative to it; an empty folder adds nothing.
func joinedPath(_ folder: String, _ path: String) -> String {
  if folder.isEmpty || path.hasPrefix("/") { return path }
  return folder.hasSuffix("/") ? folder + path : folder + "/" + path
}
