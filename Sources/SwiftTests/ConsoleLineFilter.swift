/// Takes out of a test's output the lines in which XCTest itself reports its progress: every test has
/// two of them, and they say what the results say anyway. Lines about failures stay.
///
/// Only whole lines in exactly XCTest's form are taken out, and those about a test only as often as
/// XCTest writes them, so that of lines which a test prints in that form as many stay as it printed.
struct ConsoleLineFilter: Sendable {
  /// Lines that XCTest will write or has written: `Test Case 'C.m' started at ` and the like.
  private var expected: [String: Int] = [:]
  /// The beginning of a line that may be one of XCTest's.
  private var held: [UInt8] = []
  private var isAtLineStart = true
  /// A longer line is not one of XCTest's.
  private static let longest = 4096

  /// - Parameter names: Names of the batch's tests, `Module.Class/method`.
  init(names: some Sequence<String>) {
    for name in names {
      // XCTest writes the class without its module.
      let module = name.firstIndex(of: ".").map { name.index(after: $0) } ?? name.startIndex
      let short = name[module...].replacing("/", with: ".", maxReplacements: 1)
      expected["Test Case '\(short)' started at "] = 1
      expected["Test Case '\(short)' "] = 1
    }
  }

  /// Calls the body with what is not XCTest's.
  mutating func feed(_ piece: [UInt8], _ body: ([UInt8]) -> Void) {
    var rest = piece[...]
    var passed: [UInt8] = []
    func pass(_ bytes: some Sequence<UInt8>) { passed.append(contentsOf: bytes) }
    while !rest.isEmpty {
      let end = rest.firstIndex(of: 10).map { $0 + 1 } ?? rest.endIndex
      let line = rest[..<end]
      let isWhole = line.last == 10
      if !held.isEmpty || (isAtLineStart && Self.mayBegin(line)) {
        held += line
        if isWhole {
          if !takesOut(held) { pass(held) }
          held = []
        } else if held.count > Self.longest {
          pass(held)
          held = []
          isAtLineStart = false
        }
      } else {
        pass(line)
      }
      if isWhole { isAtLineStart = true } else if held.isEmpty { isAtLineStart = false }
      rest = rest[end...]
    }
    if !passed.isEmpty { body(passed) }
  }

  /// Gives back what is held, at a boundary between tests or the end of the stream.
  mutating func flush(_ body: ([UInt8]) -> Void) {
    guard !held.isEmpty else { return }
    body(held)
    held = []
    isAtLineStart = false
  }

  private static func mayBegin(_ line: ArraySlice<UInt8>) -> Bool {
    func agrees(_ text: StaticString) -> Bool {
      text.withUTF8Buffer { line.prefix($0.count).elementsEqual($0.prefix(line.count)) }
    }
    return agrees("Test Case '") || agrees("Test Suite '") || agrees("\t Executed ")
  }

  /// Compares by hand: each test has such lines, and regular expressions take ten times as long.
  private mutating func takesOut(_ line: [UInt8]) -> Bool {
    guard let text = String(validating: line.dropLast(), as: UTF8.self) else { return false }
    if text.hasPrefix("\t") {
      return text.hasSuffix(" seconds") && text.contains(" unexpected) in ")
    }
    let dateLength = 23
    let hasDate = text.utf8.count > dateLength && Self.isDate(text.utf8.suffix(dateLength))
    if text.hasPrefix("Test Suite '") {
      let head = text.utf8.dropLast(dateLength)
      return hasDate
        && ["' started at ", "' passed at ", "' failed at "].contains {
          head.suffix($0.utf8.count).elementsEqual($0.utf8)
        }
    }
    if hasDate { return use(String(decoding: text.utf8.dropLast(dateLength), as: UTF8.self)) }
    guard text.hasSuffix(" seconds)"), let open = text.lastIndex(of: "(") else { return false }
    let number = text[text.index(after: open)...].dropLast(9)
    guard !number.isEmpty, number.utf8.allSatisfy({ Self.isNumeric($0) }) else { return false }
    for word in ["passed ", "failed ", "skipped "] where text[..<open].hasSuffix(word) {
      return use(String(text[..<open].dropLast(word.count)))
    }
    return false
  }

  /// `2026-11-30 06:29:14.639`
  private static func isDate(_ text: some Collection<UInt8>) -> Bool {
    zip(text, "0000-00-00 00:00:00.000".utf8).allSatisfy { found, form in
      form == UInt8(ascii: "0") ? (48...57).contains(found) : found == form
    }
  }

  private static func isNumeric(_ byte: UInt8) -> Bool {
    (48...57).contains(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "e")
      || byte == UInt8(ascii: "-")
  }

  private mutating func use(_ line: String) -> Bool {
    guard let left = expected[line], left > 0 else { return false }
    expected[line] = left - 1
    return true
  }
}
