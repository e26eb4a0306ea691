import Evidence
import Glibc
import RunModel
import SwiftTests
import Workers

/// What the crash reports of a batch's process say.
extension BatchRun {
  /// Takes the crash reports of the batch's own process; whose they are is known when everything
  /// that the process said has been read.
  func collectCrashReports() {
    guard let process else { return }
    var info = stat()
    guard stat(container.evidence, &info) == 0 else { return }
    let change = [info.st_mtim.tv_sec, info.st_mtim.tv_nsec]
    guard change != evidenceChange else { return }
    for report in CrashReportFile.all(in: container.evidence)
    where report.pid == process.insidePID && !report.isCollected {
      let summary = report.summary(package: session.header.packagePath)
      crashReports.append((report.writtenAt, summary))
      // The next report of the process would have the same name.
      report.collect(as: crashReports.count)
    }
    if stat(container.evidence, &info) == 0 {
      evidenceChange = [info.st_mtim.tv_sec, info.st_mtim.tv_nsec]
    }
  }

  /// The crash reports with the tests that ran when they were written.
  var attributedCrashReports: [BatchTranscript.CrashReport] {
    crashReports.map { writtenAt, summary in
      // Compared is what the process's clock says, not when it was read here. A report can be older
      // than the first start that is known.
      let test = (begun.last { $0.time <= writtenAt } ?? begun.first)?.test
      return BatchTranscript.CrashReport(
        test: test, description: summary.description ?? "no description",
        message: test.flatMap { lastWords(of: $0) }, function: summary.function,
        location: summary.location)
    }
  }

  /// What the Swift runtime wrote before it ended the process: `Fatal error: Index out of range`.
  func lastWords(of test: TestID) -> String? {
    // Outside of any test it is in no log yet.
    for text in [transcript.strayErrors, logs[test]?[.stderr]?.lastText(lines: 20) ?? ""] {
      for line in text.split(separator: "\n").reversed() {
        for mark in Self.lastWordMarks {
          if let range = line.firstRange(of: mark) { return String(line[range.lowerBound...]) }
        }
      }
    }
    return nil
  }

  /// How the runtime begins what it says of a failed check (AssertCommon.swift and Casting.cpp of
  /// the Swift project).
  private static let lastWordMarks = [
    "Fatal error: ", "Precondition failed: ", "Assertion failed: ", "Could not cast value of type ",
    "Fatal access conflict detected", "Simultaneous accesses to ",
  ]
}
