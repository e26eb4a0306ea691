import Evidence
import Reporting
import RunModel
import SystemFiles

/// A recorded run as `carrel runs` shows it.
struct RunPage: Encodable {
  /// The version of the forms in JSON.
  static let format = FormatVersion(major: 1, minor: 1)

  struct List: Encodable {
    let format = RunPage.format
    var runs: [RunPage]
  }

  struct Single: Encodable {
    let format = RunPage.format
    var run: RunPage
  }

  let id: String
  /// Absolute path of the record.
  let path: String
  /// `running`, `finished`, `cut-off`, `newer-format` or `unreadable`.
  let state: String
  let isLatest: Bool
  /// Why the record cannot be read.
  let problem: String?
  /// Seconds since 1970.
  let startedAt: Double?
  /// Seconds from the start to the end; `nil` for a run that did not come to its end.
  let duration: Double?
  /// The status that the run ended with, one of ``ExitCode`` unless another version wrote the
  /// record; `nil` as ``duration`` is.
  let exitCode: Int32?
  /// The name of the signal that ended the run early, like `SIGINT`; `nil` for none.
  let interruptedBy: String?
  /// Number of planned tests.
  let planned: Int
  /// Number of planned tests by the word of their verdict, or of their progress while the run goes
  /// on: `running`, `waiting`.
  let verdicts: [String: Int]
  /// Bytes that the record takes on the disk.
  let bytes: Int
  /// `nil` when the record cannot be read.
  let header: RunHeader?

  private enum CodingKeys: String, CodingKey {
    case id, path, state, isLatest = "latest", problem, startedAt, duration, exitCode
    case interruptedBy, planned, verdicts, bytes, header
  }

  init(_ overview: RunOverview, isLatest: Bool) {
    id = overview.record.runID
    path = overview.record.path
    self.isLatest = isLatest
    startedAt = overview.startedAt
    planned = overview.planned
    verdicts = overview.verdicts
    bytes = overview.usage.bytes
    header = overview.header
    var finish: RunFinish?
    var problem: String?
    switch overview.state {
    case .running: state = "running"
    case .cutOff: state = "cut-off"
    case .finished(let end):
      state = "finished"
      finish = end
    case .newerFormat(let reason):
      state = "newer-format"
      problem = reason
    case .unreadable(let reason):
      state = "unreadable"
      problem = reason
    }
    self.problem = problem
    duration = finish?.duration
    exitCode = finish?.exitCode
    interruptedBy = finish?.interruptedBy
  }

  /// How the run ended, in a word or two.
  private var outcome: String {
    guard let exitCode else { return state }
    if let interruptedBy { return "interrupted by \(messageText(interruptedBy))" }
    guard let code = ExitCode(rawValue: exitCode) else { return "status \(exitCode)" }
    return code == .success ? "passed" : code == .testsFailed ? "failed" : code.code
  }

  /// `20 passed, 1 failed`; what matters most first.
  private var counts: String {
    let known = Verdict.allCases.map(\.rawValue) + RunState.Progress.allCases.map(\.rawValue)
    let words = known + verdicts.keys.filter { !known.contains($0) }.sorted()
    let parts = words.compactMap { word in
      verdicts[word].map { "\($0) \(messageText(word))" }
    }
    return parts.isEmpty ? "no tests" : parts.joined(separator: ", ")
  }

  /// `2026-11-30 12:10:40`, in UTC.
  private var start: String {
    guard let startedAt else { return "-" }
    return String(iso8601(startedAt).dropLast()).split(separator: "T").joined(separator: " ")
  }

  /// A row for each run, in columns.
  static func table(_ runs: [RunPage]) -> [String] {
    let rows = runs.map { run in
      [
        run.id + (run.isLatest ? " *" : "  "), run.start, ByteSize.rounded(run.bytes),
        run.outcome, run.problem.map { messageText($0) } ?? run.counts,
      ]
    }
    let widths = (0..<4).map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      let cells = row.enumerated().map { column, text in
        guard column < 4 else { return text }
        let space = String(repeating: " ", count: widths[column] - text.count)
        return column == 2 ? space + text : text + space
      }
      return cells.joined(separator: "  ")
    }
  }

  /// Everything about the run.
  var lines: [String] {
    var rows: [(String, String)] = [("run", id + (isLatest ? " (latest)" : ""))]
    if let header {
      rows.append(("command", "carrel " + header.arguments.joined(separator: " ")))
      rows.append(("package", header.packagePath))
      if let archive = header.archive { rows.append(("archive", archive.path)) }
    }
    rows.append(("started", start + " UTC"))
    if let duration { rows.append(("duration", spoken(duration))) }
    let status = exitCode.map { ", exit status \($0)" } ?? ""
    rows.append((state == "running" ? "state" : "ended as", outcome + status))
    rows.append(("tests", "\(planned): \(counts)"))
    if let header {
      rows.append(("workers", "\(header.workers), batches: \(header.batch)"))
      rows.append(("isolation", header.isolation))
      rows.append(("seed", header.seed))
      let place = header.toolchainDetails.map { " in \($0.path), because \($0.reason)" } ?? ""
      rows.append(("toolchain", header.toolchain + place))
      rows.append(("machine", header.hostName))
    }
    rows.append(("size", ByteSize.rounded(bytes)))
    rows.append(("record", path))
    let width = rows.map(\.0.count).max() ?? 0
    return rows.map { name, text in
      let space = String(repeating: " ", count: width - name.count)
      return "\(name):\(space)  " + messageText(text).split(separator: "\n").joined(separator: " ")
    }
  }
}
