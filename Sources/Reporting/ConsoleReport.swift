package import RunModel

/// The text that `carrel run` prints: pure functions, no line end after the last line.
///
/// Names, messages and output come from tests; whatever they hold, no control character of theirs
/// reaches the terminal.
package struct ConsoleReport: Sendable {
  /// How the text looks.
  package struct Style: Sendable {
    /// Whether verdicts are coloured by escape sequences; `false` when the output is piped.
    package var isColored: Bool
    /// Whether a leaked process makes the run fail.
    package var leaksFail: Bool
    /// Number of lines shown of each stream of a failed attempt.
    package var outputLines: Int
    /// Number of tests shown in each list of the summary.
    package var listLimit: Int
    /// How to run a test after those that it fails after, as the end of a sentence.
    package var companyAdvice: String?

    package init(
      isColored: Bool = false, leaksFail: Bool = true, outputLines: Int = 20, listLimit: Int = 100,
      companyAdvice: String? = nil
    ) {
      self.companyAdvice = companyAdvice
      self.isColored = isColored
      self.leaksFail = leaksFail
      self.outputLines = outputLines
      self.listLimit = listLimit
    }
  }

  package var style: Style
  package private(set) var names: ShortNames
  /// Absolute path of the package: source paths inside are shown relative to it.
  package var packagePath: String?
  /// Path of the run archive that the tests are from, as commands are to name it; `nil` when they
  /// were built.
  package var archivePath: String?
  /// Put in front of paths that are relative to the run's folder.
  package var runFolder: String
  /// Whether the package is the current folder, so that commands need not name it.
  package var isPackageCurrent = false

  package init(
    style: Style = Style(), tests: some Sequence<TestID>, packagePath: String?, runFolder: String
  ) {
    self.style = style
    names = ShortNames(tests, longest: Self.longestName)
    self.packagePath = packagePath
    self.runFolder = runFolder
  }

  /// Longest name that is shown whole, in bytes; `carrel list` and the record have all of it.
  private static let longestName = 600

  /// Tells the report all tests, so that it can name them shortly.
  package mutating func setTests(_ tests: some Sequence<TestID>) {
    names = ShortNames(tests, longest: Self.longestName)
  }

  /// Tells the report the tests of a run that is over: its log says which of their names belong to
  /// others, too.
  package mutating func setTests(plannedIn state: RunState) {
    names = ShortNames(
      state.tests.lazy.map(\.id),
      others: state.tests.lazy.filter { $0.descriptor.hasNamesake }.map(\.id.name),
      longest: Self.longestName)
  }

  /// The test's name and, in quotation marks, the one that its author gave for people.
  func title(of test: TestID, in entry: RunState.Test?) -> String {
    let name = names.name(of: test)
    // A raw identifier is its own display name.
    guard let display = entry?.descriptor.displayName, !test.name.contains(display) else {
      return name
    }
    let text = terminalSafe(String(head(of: display, bytes: Self.longestName)))
    return "\(name) “\(startFitting(text, columns: 120))”"
  }

  /// How much a word should catch the eye.
  enum Tone: String {
    case good = "32"
    case bad = "1;31"
    case odd = "33"
    case quiet = "36"
    case faint = "2"
  }

  /// The text in a colour, when colours are on.
  func toned(_ text: String, _ tone: Tone) -> String {
    style.isColored ? "\u{1B}[\(tone.rawValue)m\(text)\u{1B}[0m" : text
  }

  /// `FAIL    [   0.012s] `: a label and a time in columns of fixed width.
  func lineStart(_ label: String, tone: Tone, seconds: Double, over: Bool = false) -> String {
    let space = String(repeating: " ", count: max(1, 8 - label.utf8.count))
    let time = fixed(seconds, decimals: 3)
    let column = over ? "> " + time : padded(time, toWidth: 8)
    return toned(label, tone) + space + "[\(column)s] "
  }

  /// The word for a verdict at the start of a line.
  func label(_ verdict: Verdict) -> (text: String, tone: Tone) {
    switch verdict {
    case .passed: ("PASS", .good)
    case .failed: ("FAIL", .bad)
    case .crashed: ("CRASH", .bad)
    case .timedOut: ("TIMEOUT", .bad)
    case .leaked: ("LEAK", style.leaksFail ? .bad : .odd)
    case .lost: ("LOST", .bad)
    case .skipped: ("SKIP", .quiet)
    case .knownIssue: ("KNOWN", .quiet)
    case .environment: ("ENV", .bad)
    case .interrupted: ("INTR", .odd)
    case .notRun: ("NOTRUN", .odd)
    }
  }

  /// The text with each of its lines moved to the right.
  func indented(_ text: String, by columns: Int) -> String {
    let space = String(repeating: " ", count: columns)
    return text.split(separator: "\n", omittingEmptySubsequences: false)
      .map { $0.isEmpty ? "" : space + $0 }.joined(separator: "\n")
  }
}
