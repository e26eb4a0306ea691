/// The issues of an attempt, as far as ``ResultLimits`` keep them.
package struct IssueList: Sendable, Hashable {
  package private(set) var kept: [TestIssue] = []
  /// Number of issues that were left out.
  package private(set) var omitted = 0
  /// Whether any issue makes the test fail.
  package private(set) var hasFailure = false
  /// Whether any issue is a known one.
  package private(set) var hasKnown = false
  private var bytes = 0

  package init() {}

  package init(_ issues: some Sequence<TestIssue>) { append(contentsOf: issues) }

  package var isEmpty: Bool { kept.isEmpty }

  /// Takes an issue as far as there is room; the first failure in any case.
  package mutating func append(_ issue: TestIssue) {
    let isFirstFailure = issue.isFailure && !hasFailure
    hasFailure = hasFailure || issue.isFailure
    hasKnown = hasKnown || issue.isKnown
    guard fits(issue) || isFirstFailure else {
      omitted += 1
      return
    }
    kept.append(issue)
    bytes += issue.textBytes
  }

  package mutating func append(contentsOf issues: some Sequence<TestIssue>) {
    for issue in issues { append(issue) }
  }

  /// Appends what explains the end of the test; the last issues make room for it.
  package mutating func appendDecisive(_ issue: TestIssue) {
    while !fits(issue), let last = kept.popLast() {
      bytes -= last.textBytes
      omitted += 1
    }
    append(issue)
  }

  /// Takes over what another list has, and what it has left out.
  package mutating func append(contentsOf other: IssueList) {
    append(contentsOf: other.kept)
    omitted += other.omitted
    hasFailure = hasFailure || other.hasFailure
    hasKnown = hasKnown || other.hasKnown
  }

  private func fits(_ issue: TestIssue) -> Bool {
    let limits = ResultLimits.standard
    return kept.count < limits.issues && bytes + issue.textBytes <= limits.issueBytes
  }
}

extension TestIssue {
  fileprivate var textBytes: Int {
    message.utf8.count + (caseName?.utf8.count ?? 0) + (location?.file.utf8.count ?? 0)
  }
}

/// The cases of a parameterized test, as far as ``ResultLimits`` keep them.
package struct CaseList: Sendable, Hashable {
  package private(set) var kept: [TestCaseResult] = []
  /// Number of cases that were left out, and of those that did not succeed among them.
  package private(set) var omitted = 0
  package private(set) var omittedFailed = 0
  private var first = Budget()
  private var failed = Budget()

  private struct Budget: Hashable {
    var count = 0
    var bytes = 0

    mutating func takes(_ name: String) -> Bool {
      let limits = ResultLimits.standard
      guard count < limits.cases, bytes + name.utf8.count <= limits.caseBytes else { return false }
      count += 1
      bytes += name.utf8.count
      return true
    }
  }

  package init() {}

  package init(_ cases: some Sequence<TestCaseResult>) {
    for result in cases { append(result) }
  }

  /// Takes a case that has ended.
  package mutating func append(_ result: TestCaseResult) {
    let isSuccess = result.verdict.isSuccess(leaksFail: true)
    if first.takes(result.name) || !isSuccess && failed.takes(result.name) {
      kept.append(result)
    } else {
      omitted += 1
      omittedFailed += isSuccess ? 0 : 1
    }
  }
}
