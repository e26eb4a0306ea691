import RunModel

/// What is worked out once for a whole report.
struct JUnitRenderer {
  let state: RunState
  let options: JUnitReport.Options
  let names: ShortNames
  let leaksFail: Bool
  let sourceRoot: String?
  /// Bytes kept of each stream and of each failure's text, so that the report stays within its
  /// limit.
  let streamLimit: Int
  let textLimit: Int

  init(state: RunState, options: JUnitReport.Options) {
    self.state = state
    self.options = options
    names = ShortNames(state.tests.lazy.map(\.id))
    // Without a header nothing says that leaks may be ignored.
    let leaksFail = state.header?.leaksFail ?? true
    self.leaksFail = leaksFail
    sourceRoot = options.sourceRoot ?? state.header?.packagePath
    var pieces = 1
    for test in state.tests {
      pieces += 1
      for attempt in test.attempts where !attempt.verdict.isSuccess(leaksFail: leaksFail) {
        pieces += 1 + (attempt.stdout == nil ? 0 : 1) + (attempt.stderr == nil ? 0 : 1)
      }
    }
    let share = options.reportLimit / pieces
    streamLimit = min(options.streamLimit, share)
    textLimit = min(options.textLimit, max(share, 256))
  }

  /// The package's name, as the root element shows it.
  var runName: String {
    guard let header = state.header else { return "carrel" }
    let folder = header.packagePath.split(separator: "/").last
    return folder.map(String.init) ?? "carrel"
  }

  /// One suite of one product with its tests in plan order.
  struct Suite {
    var product: String
    /// The suite's name; with the product in front when several products have such a suite.
    var name: String
    /// Positions in ``RunState/tests``.
    var tests: [Int]
  }

  /// The suites in the order in which the plan first names them.
  func suites() -> [Suite] {
    struct Key: Hashable {
      var product: ExactText
      var suite: ExactText
    }
    var positions: [Key: Int] = [:]
    var suites: [Suite] = []
    var products: [ExactText: Int] = [:]
    for (index, test) in state.tests.enumerated() {
      let suite = test.id.suite.isEmpty ? test.id.product : test.id.suite
      let key = Key(product: ExactText(test.id.product), suite: ExactText(suite))
      if let position = positions[key] {
        suites[position].tests.append(index)
      } else {
        positions[key] = suites.count
        suites.append(Suite(product: test.id.product, name: suite, tests: [index]))
        products[key.suite, default: 0] += 1
      }
    }
    for index in suites.indices where products[ExactText(suites[index].name), default: 0] > 1 {
      suites[index].name = "\(suites[index].product):\(suites[index].name)"
    }
    return suites
  }

  /// What the test cases of a suite add to the totals.
  func counts(of suite: Suite) -> JUnitCounts {
    var counts = JUnitCounts()
    for position in suite.tests {
      let test = state.tests[position]
      let result = test.result
      counts.count(outcome(of: test, result))
      counts.seconds += validSeconds(test.main(for: result)?.duration ?? 0)
    }
    return counts
  }

  /// What a test's element says of it. A test that has no result yet is an error, so that nobody
  /// takes the report of a run that goes on for a success.
  func outcome(of test: RunState.Test, _ result: TestResult) -> JUnitOutcome {
    if state.progress(of: test) != nil { return .error }
    return JUnitOutcome(result.verdict, leaksFail: leaksFail)
  }

  /// Writes one suite.
  func write(
    _ suite: Suite, id: Int, logText: (LogReference) -> LogEnd?, to xml: inout XMLWriter
  ) {
    let startedAt = suite.tests.lazy.flatMap { state.tests[$0].attempts }.map(\.startedAt).min()
    open(suite: suite.name, id: id, counts: counts(of: suite), startedAt: startedAt, to: &xml)
    writeProperty("carrel.product", suite.product, to: &xml)
    if let header = state.header { writeProperty("carrel.run", header.runID, to: &xml) }
    xml.markup("    </properties>\n")
    var taken: Set<String> = []
    for position in suite.tests {
      let test = state.tests[position]
      var name = test.id.function
      // Readers take two cases of one name for one, so the rarer library's is told apart.
      if taken.contains(name) { name += " (\(test.id.library.rawValue))" }
      let base = name
      var number = 1
      while !taken.insert(name).inserted {
        number += 1
        name = "\(base) (\(number))"
      }
      let testCase = TestCase(test, className: suite.name, name: name, renderer: self)
      write(testCase, logText: logText, to: &xml)
    }
    xml.markup("  </testsuite>\n")
  }

  /// Writes a suite's start tag and the start of its properties.
  func open(
    suite name: String, id: Int, counts: JUnitCounts, startedAt: Double?, to xml: inout XMLWriter
  ) {
    xml.markup("  <testsuite")
    xml.attribute("name", name)
    counts.write(to: &xml)
    if let time = startedAt ?? state.startedAt { xml.attribute("timestamp", iso8601(time)) }
    if let host = state.header?.hostName { xml.attribute("hostname", host) }
    xml.attribute("id", id)
    xml.markup(">\n    <properties>\n")
  }

  func writeProperty(
    _ name: StaticString, _ value: String, indent: StaticString = "      ", to xml: inout XMLWriter
  ) {
    xml.markup(indent)
    xml.markup("<property name=\"")
    xml.markup(name)
    xml.markup("\"")
    xml.attribute("value", value)
    xml.markup("/>\n")
  }
}
