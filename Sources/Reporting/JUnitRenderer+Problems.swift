import RunModel

extension JUnitRenderer {
  /// What went wrong outside of the tests; a suite of its own keeps CI from showing green.
  struct ProblemSuite {
    var errors: [RunProblem]
    var warnings: [RunProblem]

    var counts: JUnitCounts {
      var counts = JUnitCounts()
      counts.errors = errors.count
      return counts
    }
  }

  /// The problems; `nil` when there were none.
  ///
  /// A run without tests is an error of its own, unless the command called it a success.
  func problemSuite() -> ProblemSuite? {
    var errors = state.problems.filter { $0.severity == .error }
    let warnings = state.problems.filter { $0.severity == .warning }
    if state.tests.isEmpty && errors.isEmpty && state.finish?.exitCode != 0 {
      errors.append(RunProblem(severity: .error, code: .noTests, message: "no tests were run"))
    }
    if errors.isEmpty && warnings.isEmpty { return nil }
    return ProblemSuite(errors: errors, warnings: warnings)
  }

  /// Writes the problems as the suite `carrel`: errors as test cases, warnings as its output.
  func write(_ problems: ProblemSuite, id: Int, to xml: inout XMLWriter) {
    open(suite: "carrel", id: id, counts: problems.counts, startedAt: nil, to: &xml)
    if let header = state.header { writeProperty("carrel.run", header.runID, to: &xml) }
    xml.markup("    </properties>\n")
    var numbers: [RunProblem.Code: Int] = [:]
    for problem in problems.errors {
      let number = numbers[problem.code, default: 0] + 1
      numbers[problem.code] = number
      xml.markup("    <testcase")
      xml.attribute("name", number == 1 ? problem.code.rawValue : "\(problem.code) (\(number))")
      xml.attribute("classname", "carrel")
      xml.attribute("time", "0.000")
      xml.markup(">\n      <error")
      xml.attribute("type", problem.code.rawValue)
      xml.attribute("message", String(head(of: problem.message, bytes: 4096)))
      xml.markup(">")
      xml.text(limited(problem.message))
      if let output = problem.output, !output.isEmpty {
        xml.markup("\n")
        xml.text(tail(of: output, bytes: streamLimit))
      }
      xml.markup("</error>\n    </testcase>\n")
    }
    if !problems.warnings.isEmpty {
      xml.markup("    <system-err>")
      for problem in problems.warnings.prefix(1000) {
        xml.text("warning: \(problem.code): \(head(of: problem.message, bytes: 4096))\n")
      }
      xml.markup("</system-err>\n")
    }
    xml.markup("  </testsuite>\n")
  }
}

extension RunProblem.Code {
  /// No tests were run. Only of the report: it is no event.
  fileprivate static let noTests = RunProblem.Code(rawValue: "no-tests")
}
