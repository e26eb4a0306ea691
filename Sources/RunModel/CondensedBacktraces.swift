/// What a process wrote, with each backtrace of Swift's runtime shortened to the places in the
/// program's own code where its crashed thread was.
///
/// A place is told by function, folder, file and line; addresses, other threads and times are
/// others in each process. The text between backtraces is kept.
package func condensingBacktraces(in text: String) -> String {
  var backtrace = BacktraceLines()
  var kept: [String] = []
  var isInside = false
  func begin() {
    isInside = true
    backtrace = BacktraceLines()
    while kept.last?.allSatisfy(\.isWhitespace) == true { kept.removeLast() }
  }
  var hasBegun = false
  for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
    if !isInside {
      if BacktraceLines.isFirst(line) {
        hasBegun = true
        begin()
      } else if BacktraceLines.isLast(line), !hasBegun {
        // The beginning is cut off: everything so far was part of it.
        begin()
        for line in kept { backtrace.take(line[...]) }
        kept = backtrace.places
        isInside = false
      } else if !line.hasPrefix("swift-runtime: ") {
        kept.append(String(line))
      }
      continue
    }
    backtrace.take(line)
    if BacktraceLines.isLast(line) {
      kept += backtrace.places
      isInside = false
    }
  }
  if isInside { kept += backtrace.places }
  while kept.last?.allSatisfy(\.isWhitespace) == true { kept.removeLast() }
  return kept.joined(separator: "\n")
}

/// The lines of one backtrace as Swift's runtime writes it (docs/Backtracing.rst of the Swift
/// project), without colours.
private struct BacktraceLines {
  /// Most places that are told.
  private static let mostPlaces = 5
  /// Folders of the libraries that perform an app's intents.
  private static let ownFolders = ["IntentHost", "IntentWire", "AppIntents", "CoreSpotlight"]

  private var isInCrashedThread = false
  private var found: [String] = []

  static func isFirst(_ line: Substring) -> Bool {
    (line.hasPrefix("*** ") && line.contains(": Backtracing from 0x"))
      || line.hasPrefix("*** Program crashed: ")
  }

  static func isLast(_ line: Substring) -> Bool { line.hasPrefix("Backtrace took ") }

  mutating func take(_ line: Substring) {
    if line.hasPrefix("Thread "), line.hasSuffix(":") {
      isInCrashedThread = line.hasSuffix(" crashed:")
    } else if isInCrashedThread, found.count < Self.mostPlaces, let place = Self.place(in: line) {
      if found.last != place { found.append(place) }
    }
  }

  /// `crashed in NoteStore.load() (NotesApp/Store.swift:8)`, and who called that.
  var places: [String] {
    found.enumerated().map { ($0.offset == 0 ? "crashed in " : "  called by ") + $0.element }
  }

  /// The function and the place of a frame: `  1 [ra] 0x5f… f() + 105 in App at /a/b/c.swift:8:64`.
  private static func place(in line: Substring) -> String? {
    guard let start = line.firstRange(of: "0x"),
      line[..<start.lowerBound].allSatisfy({ !$0.isLetter || $0.isASCII }),
      let at = line.ranges(of: " at /").last
    else { return nil }
    let components = line[at.upperBound...].split(separator: "/")
    guard let last = components.last, last != "<compiler-generated>" else { return nil }
    let folder = components.dropLast().last
    let isOwn =
      components.dropLast(2).last == "Sources"
      && folder.map { ownFolders.contains("\($0)") } == true
    guard !isOwn else { return nil }
    let numbers = last.split(separator: ":", maxSplits: 2)
    guard numbers.count > 1, let row = Int(numbers[1]), row > 0 else { return nil }
    var function = line[start.upperBound..<at.lowerBound].drop { $0.isHexDigit }.drop { $0 == " " }
    if let image = function.ranges(of: " in ").last { function = function[..<image.lowerBound] }
    if let plus = function.ranges(of: " + ").last,
      function[plus.upperBound...].allSatisfy(\.isNumber)
    {
      function = function[..<plus.lowerBound]
    }
    let file = (folder.map { "\($0)/" } ?? "") + numbers[0]
    return "\(function) (\(file):\(row))"
  }
}
