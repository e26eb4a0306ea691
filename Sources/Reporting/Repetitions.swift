import RunModel

extension AttemptResult {
  /// A test's output without what the report says anyway: the lines in which XCTest reports the
  /// attempt's failures, `File.swift:12: error: Class.method : message`, and those in which Swift's
  /// backtracer reports its progress.
  ///
  /// Only what people read is made shorter; logs and bundles have all of it.
  func withoutRepetitions(_ text: String) -> String {
    let reports = Set(issues.compactMap { xctestReport(of: $0) })
    var kept = ""
    var rest = text.utf8[...]
    while !rest.isEmpty {
      if let length = reports.lazy.compactMap({ Self.length(of: $0, atStartOf: rest) }).max() {
        rest = rest.dropFirst(length)
        continue
      }
      let end = rest.firstIndex(of: UInt8(ascii: "\n")).map(rest.index(after:)) ?? rest.endIndex
      let line = String(Substring(rest[..<end]))
      if !(verdict == .crashed && Self.isOfBacktracer(line)) { kept += line }
      rest = rest[end...]
    }
    return kept
  }

  /// The text of an app, or nothing when the attempt's messages have all of its lines already.
  func withoutToldLines(_ text: String) -> String {
    func lines(_ text: String) -> [String] {
      // XCTest puts quotation marks around what a test throws.
      text.split(separator: "\n").map { $0.filter { !$0.isWhitespace && $0 != "\"" } }
        .filter { !$0.isEmpty }
    }
    let told = Set((issues.map(\.message) + [reason ?? ""]).flatMap(lines))
    return lines(text).allSatisfy(told.contains) ? "" : text
  }

  /// What XCTest writes about an issue; it names the class without its module.
  private func xctestReport(of issue: TestIssue) -> String? {
    guard test.library == .xctest else { return nil }
    let name = test.name
    let module = name.firstIndex(of: ".").map { name.index(after: $0) } ?? name.startIndex
    let short = name[module...].replacing("/", with: ".", maxReplacements: 1)
    // What a test throws has no place.
    let place = issue.location.map { "\($0.file):\($0.line)" } ?? "<EXPR>:0"
    return "\(place): error: \(short) : \(issue.message)\n"
  }

  private static func length(of report: String, atStartOf text: Substring.UTF8View) -> Int? {
    text.starts(with: report.utf8) ? report.utf8.count : nil
  }

  /// `*** Signal 4: Backtracing from 0x7f… ***` and the words that follow it.
  private static func isOfBacktracer(_ line: String) -> Bool {
    line.hasPrefix("*** ") && line.contains(": Backtracing from 0x")
  }
}
