import RunModel

/// Takes out of a test's output the lines in which XCTest itself reports its progress: every test
/// has two of them, and they say what the results say anyway. Lines about failures stay.
///
/// XCTest prints a test's first line right before or right after the boundary at its start, and its
/// last line right before or right after the boundary at its end: its observers are told in no
/// certain order. So within a test's section only the first line and the last one can be XCTest's,
/// and the last one only if no such line follows the boundary. All others were printed by the test,
/// whatever they look like.
struct ConsoleLineFilter: Sendable {
  /// Output that is not XCTest's.
  struct Piece: Sendable {
    /// Number of the boundary that it followed.
    var section: Int
    /// The test that ran then.
    var test: TestID?
    var bytes: [UInt8]
  }

  /// What XCTest calls a test, `Class.method`, and the tests whose line is still to come.
  private var shortNames: [TestID: String] = [:]
  private var byShortName: [String: TestID] = [:]
  private var unseenStarts: Set<TestID> = []
  private var unseenEnds: Set<TestID> = []

  private var section = 0
  private var test: TestID?
  /// The beginning of a line that may be one of XCTest's.
  private var held: [UInt8] = []
  private var isAtLineStart = true
  private var isFirstLine = true
  /// The latest line of a test's section that may be XCTest's about its end.
  private var candidate: Piece?
  /// A longer line is not one of XCTest's.
  private static let longest = 4096

  /// - Parameter tests: The batch's tests, named `Module.Class/method`.
  init(tests: some Sequence<TestID>) {
    for test in tests {
      // XCTest writes the class without its module.
      let name = test.name
      let module = name.firstIndex(of: ".").map { name.index(after: $0) } ?? name.startIndex
      let short = String(name[module...].replacing("/", with: ".", maxReplacements: 1))
      shortNames[test] = short
      byShortName[short] = byShortName[short] ?? test
      unseenStarts.insert(test)
      unseenEnds.insert(test)
    }
  }

  /// A finished test of which it is not known yet whether its last line is XCTest's.
  var undecided: TestID? { candidate?.test }

  /// Calls the body with what is not XCTest's.
  ///
  /// - Parameters:
  ///   - section: Number of the boundary before the piece.
  ///   - test: The test that runs after that boundary; `nil` between tests.
  mutating func feed(
    _ piece: [UInt8], section: Int, test: TestID?, _ body: (Piece) -> Void
  ) {
    if section != self.section { begin(section, test, body) }
    var rest = piece[...]
    var passed: [UInt8] = []
    while !rest.isEmpty {
      let end = rest.firstIndex(of: 10).map { $0 + 1 } ?? rest.endIndex
      let line = rest[..<end]
      let isWhole = line.last == 10
      if !held.isEmpty || (isAtLineStart && Self.mayBegin(line)) {
        held += line
        if isWhole {
          takeHeldLine(&passed, body)
        } else if held.count > Self.longest {
          settleCandidate(isTests: test != nil, &passed, body)
          passed += held
          held = []
          isAtLineStart = false
        }
      } else {
        settleCandidate(isTests: test != nil, &passed, body)
        passed += line
      }
      if isWhole { isFirstLine = false }
      if isWhole { isAtLineStart = true } else if held.isEmpty { isAtLineStart = false }
      rest = rest[end...]
    }
    if !passed.isEmpty { body(Piece(section: section, test: test, bytes: passed)) }
  }

  /// Gives back what is held at the end of the stream.
  ///
  /// - Parameter section: Number of the last boundary in it.
  mutating func finish(section: Int, _ body: (Piece) -> Void) {
    // Without a boundary after it the test was running, and what it printed is its own.
    if let candidate, candidate.section == section || !held.isEmpty { body(candidate) }
    candidate = nil
    if !held.isEmpty { body(Piece(section: section, test: test, bytes: held)) }
    held = []
  }

  /// Goes on to the output after another boundary.
  private mutating func begin(_ section: Int, _ test: TestID?, _ body: (Piece) -> Void) {
    if !held.isEmpty {
      if let candidate, candidate.section == self.section {
        body(candidate)
        self.candidate = nil
      }
      body(Piece(section: self.section, test: self.test, bytes: held))
      held = []
    }
    if test != nil { decide(isTests: false, body) }
    self.section = section
    self.test = test
    isAtLineStart = true
    isFirstLine = true
  }

  /// A whole line is held that may be XCTest's.
  private mutating func takeHeldLine(_ passed: inout [UInt8], _ body: (Piece) -> Void) {
    defer { held = [] }
    let line = Line(console: held)
    guard let test else {
      switch line {
      case .end(let name)?:
        if let test = byShortName[name], unseenEnds.contains(test) {
          // The line of that form in the test's section was the test's own.
          decide(isTests: candidate?.test == test, body)
          unseenEnds.remove(test)
          return
        }
      case .start(let name)?:
        decide(isTests: false, body)
        if let test = byShortName[name], unseenStarts.remove(test) != nil { return }
      case .suite?:
        decide(isTests: false, body)
        return
      case nil: break
      }
      decide(isTests: false, body)
      passed += held
      return
    }
    settleCandidate(isTests: true, &passed, body)
    switch line {
    case .start(let name)?
    where name == shortNames[test] && isFirstLine && unseenStarts.contains(test):
      unseenStarts.remove(test)
    case .end(let name)? where name == shortNames[test] && unseenEnds.contains(test):
      candidate = Piece(section: section, test: test, bytes: held)
    default: passed += held
    }
  }

  /// Something follows that is not XCTest's line about the end of the candidate's test.
  ///
  /// - Parameter isTests: Whether it is in the section of a test: then the candidate's, so that the
  ///   candidate was not the last line of it.
  private mutating func settleCandidate(
    isTests: Bool, _ passed: inout [UInt8], _ body: (Piece) -> Void
  ) {
    guard let candidate else { return }
    if isTests, candidate.section == section {
      passed += candidate.bytes
      self.candidate = nil
    } else {
      decide(isTests: false, body)
    }
  }

  /// The candidate is the test's own line, or XCTest's.
  private mutating func decide(isTests: Bool, _ body: (Piece) -> Void) {
    guard let candidate else { return }
    if isTests { body(candidate) } else if let test = candidate.test { unseenEnds.remove(test) }
    self.candidate = nil
  }

  private static func mayBegin(_ line: ArraySlice<UInt8>) -> Bool {
    func agrees(_ text: StaticString) -> Bool {
      text.withUTF8Buffer { line.prefix($0.count).elementsEqual($0.prefix(line.count)) }
    }
    return agrees("Test Case '") || agrees("Test Suite '") || agrees("\t Executed ")
  }
}

extension ConsoleLineFilter {
  /// A line in exactly XCTest's form.
  fileprivate enum Line {
    /// `Test Case 'C.m' started at `, with the test's name.
    case start(String)
    /// `Test Case 'C.m' passed (0.1 seconds)` and the like.
    case end(String)
    /// About a suite.
    case suite
  }
}

extension ConsoleLineFilter.Line {
  /// Compares by hand: each test has such lines, and regular expressions take ten times as long.
  fileprivate init?(console line: [UInt8]) {
    guard let text = String(validating: line.dropLast(), as: UTF8.self) else { return nil }
    if text.hasPrefix("\t") {
      guard text.hasSuffix(" seconds"), text.contains(" unexpected) in ") else { return nil }
      self = .suite
      return
    }
    let dateLength = 23
    let hasDate = text.utf8.count > dateLength && Self.isDate(text.utf8.suffix(dateLength))
    if text.hasPrefix("Test Suite '") {
      let head = text.utf8.dropLast(dateLength)
      guard hasDate,
        ["' started at ", "' passed at ", "' failed at "].contains(where: {
          head.suffix($0.utf8.count).elementsEqual($0.utf8)
        })
      else { return nil }
      self = .suite
      return
    }
    let name = text.dropFirst("Test Case '".count)
    if hasDate {
      let head = name.dropLast(dateLength)
      guard head.hasSuffix("' started at ") else { return nil }
      self = .start(String(head.dropLast("' started at ".count)))
      return
    }
    guard text.hasSuffix(" seconds)"), let open = name.lastIndex(of: "(") else { return nil }
    let number = name[name.index(after: open)...].dropLast(9)
    guard !number.isEmpty, number.utf8.allSatisfy({ Self.isNumeric($0) }) else { return nil }
    let head = name[..<open]
    for word in ["' passed ", "' failed ", "' skipped "] where head.hasSuffix(word) {
      self = .end(String(head.dropLast(word.count)))
      return
    }
    return nil
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
}
