import Evidence
import Reporting
import RunModel

/// Text of a value as JSON with sorted keys.
func jsonText(_ value: some Encodable) throws -> String {
  String(decoding: try encodedJSON(value, pretty: true), as: UTF8.self)
}

/// The entries of a bundle.
struct BundleListing {
  private let reader: BundleReader
  private let context: CommandContext

  init(_ reader: BundleReader, _ context: CommandContext) {
    self.reader = reader
    self.context = context
  }

  /// What JSON says of an entry. A name that is not UTF-8 is in `pathBytes`, its bytes beyond
  /// printable ASCII as `%XX`.
  private struct Entry: Encodable {
    var path: String?
    var pathBytes: String?
    var type: String
    var mode: String
    var size: Int
    var linkTarget: String?
    var linkTargetBytes: String?

    init(_ entry: BundleEntry) {
      path = entry.path.text
      pathBytes = path == nil ? entry.path.percentEncoded : nil
      type = entry.kind.rawValue
      mode = String(entry.mode, radix: 8)
      size = entry.size
      linkTarget = entry.linkTarget?.text
      linkTargetBytes = linkTarget == nil ? entry.linkTarget?.percentEncoded : nil
    }
  }

  /// One entry a line, whatever its name; a damaged bundle's entries up to the damage, and an
  /// error.
  func print(asJSON: Bool) throws -> ExitCode {
    var entries: [Entry] = []
    let check = try reader.verify { [self] entry in
      if asJSON {
        entries.append(Entry(entry))
      } else {
        context.output.print(line(entry))
      }
    }
    if asJSON, check.manifest != nil { try context.printJSON(entries) }
    return BundleCommand.conclude(reader, check, context)
  }

  private func line(_ entry: BundleEntry) -> String {
    let size = String(entry.size)
    let padding = String(repeating: " ", count: max(0, 10 - size.count))
    let mode = String(entry.mode, radix: 8)
    let target = entry.linkTarget.map { " -> \($0.displayName)" } ?? ""
    return "\(padding)\(size)  \(mode)  \(entry.path.displayName)\(target)"
  }
}

/// What a bundle is about, for people.
struct BundlePage {
  private let reader: BundleReader
  private let context: CommandContext

  init(_ reader: BundleReader, _ context: CommandContext) {
    self.reader = reader
    self.context = context
  }

  func print(asJSON: Bool) throws -> ExitCode {
    let manifest = try reader.manifest()
    if asJSON {
      try context.printJSON(manifest)
    } else {
      try printText(manifest)
    }
    let check = try reader.verify()
    for note in check.notes where check.isWhole && !asJSON {
      context.output.print("note: \(BundleCommand.text(note))")
    }
    return BundleCommand.conclude(reader, check, context)
  }

  /// Configuration and flags of the build, as the bundle's events tell them.
  private func build() throws -> String? {
    guard let header = try reader.runHeader(), let name = header.buildConfiguration else {
      return nil
    }
    return ([name] + (header.buildFlags ?? [])).joined(separator: " ")
  }

  /// How much was taken out of the bundle, by rule.
  private func redactions() throws -> String? {
    guard let report = try reader.redactions() else { return nil }
    guard report.isEnabled else { return "no; the bundle may hold secrets" }
    guard report.total > 0 else { return "nothing was found that had to be" }
    let rules = report.rules.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    let named = rules.prefix(6).map { "\($0.value) \($0.key)" }.joined(separator: ", ")
    return "\(report.total) \(report.total == 1 ? "secret" : "secrets") (\(named)"
      + (rules.count > 6 ? ", and others" : "") + "), see \(BundlePaths.redactions)"
  }

  private func printText(_ manifest: BundleManifest) throws {
    var state = RunState()
    let time = manifest.startedAt
    let descriptor = TestDescriptor(id: manifest.test)
    state.apply(RunEvent(time: time, .testPlanned(descriptor)))
    let attempt = manifest.attemptResult
    state.apply(RunEvent(time: time, .attemptFinished(attempt)))
    let report = ConsoleReport(
      style: ConsoleReport.Style(
        isColored: context.output.wantsColor(context.environment), leaksFail: true,
        companyAdvice: ReproCommand.companyAdvice),
      tests: [manifest.test], packagePath: nil, runFolder: "")
    context.output.print(
      report.failure(attempt, in: state) { log in
        let app = attempt.apps.first { $0.log.path == log.path }
        let name =
          app.map { BundlePaths.appLog($0.bundleIdentifier) }
          ?? (log.path == attempt.stdout?.path
            ? BundlePaths.standardOutput : BundlePaths.standardError)
        return (try? reader.read(name)).map { LogEnd($0, isWhole: true) }
      })
    func row(_ label: String, _ value: String?) {
      guard let value else { return }
      let padding = String(repeating: " ", count: max(1, 14 - label.count))
      context.output.print("    \(label):\(padding)\(ByteName(value).displayName)")
    }
    row("test", "\(manifest.test)")
    row("attempt", "\(manifest.attempt) (\(manifest.purpose.rawValue))")
    row("run", manifest.runID)
    row("package", manifest.package)
    row("worker", "\(manifest.worker), batch \(manifest.batch)")
    let place = manifest.toolchainDetails.map { " in \($0.path)" } ?? ""
    row("toolchain", manifest.toolchain + place)
    row("build", try build())
    row("runtime", manifest.runtime)
    row("isolation", manifest.isolation)
    if (try? reader.read(BundlePaths.hang)) != nil {
      let ended = manifest.verdict == .timedOut ? "the test" : "an app"
      row("processes", "what they did when \(ended) was ended is in \(BundlePaths.hang)")
    }
    row("redacted", try redactions())
    row("app", manifest.bundleIdentifier)
    row("intent", manifest.intentName)
    row("fixture", manifest.fixtureToken)
    if let journal = try? reader.read(BundlePaths.journal) {
      for line in BundleCalls(journal: journal, attempt: attempt).lines {
        context.output.print("    " + ByteName(line).displayName)
      }
    }
    if !manifest.predecessors.isEmpty {
      let names = manifest.predecessors.suffix(20).map(\.printableName).joined(separator: ", ")
      let more = manifest.predecessors.count > 20 ? "..., " : ""
      row("ran after", more + names)
    }
  }
}
