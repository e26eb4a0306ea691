import Comparison
import Evidence
import FoundationEssentials
import Glibc
import RunModel
import SystemFiles
import TestSupport
import Testing

@testable import CarrelCLI

/// Bundles of a few lines, packed and compared.
@Suite struct BundleComparerTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder(prefix: "carrel vergleich é-") }

  /// What a bundle is made from.
  private struct Sample {
    var runID = "20261130T053000Z-4f3a2b"
    var attempt = 1
    var verdict = Verdict.failed
    var message = "1 is not 2"
    var container = "/tmp/carrel-1000/Zq3x9A/w1"
    var environment = ["TZ": "UTC"]
    var predecessors: [TestID] = []
    var files: [String: [UInt8]] = [:]
    var toolchain: ToolchainRecord?
  }

  private static let test = TestID(product: "P", library: .xctest, name: "M.C/t")

  private func pack(_ sample: Sample, _ name: String) throws -> BundleReader {
    let attempt = AttemptResult(
      test: Self.test, attempt: sample.attempt, batch: sample.attempt, worker: 1,
      verdict: sample.verdict, issues: [TestIssue(message: sample.message)],
      startedAt: Double(sample.attempt), duration: 0.01)
    var manifest = BundleManifest(
      carrel: "0.1.0", runID: sample.runID, attempt: attempt, predecessors: sample.predecessors,
      package: "P", toolchain: "Swift 6.3.1", runtime: "Linux", hostName: "h\(sample.attempt)",
      fixtureToken: nil, isolation: "sandbox", timeLimit: 60)
    manifest.toolchainDetails = sample.toolchain
    var environment = sample.environment
    environment["HOME"] = sample.container + "/home"
    environment["CARREL_RUN_ID"] = sample.runID
    let command = RecordedCommand(
      executable: "/src/x", arguments: ["a"], environment: environment, directory: "/src",
      container: sample.container)
    var entries = sample.files.map { BundleContents.Entry($0.key, .bytes($0.value)) }
    entries.append(.init(BundlePaths.command, .bytes(try encodedJSON(command))))
    let path = folder.path(of: name)
    try FailureBundle.write(
      BundleContents(manifest: manifest, entries: entries), to: path, compression: .none)
    return BundleReader(path: path)
  }

  private func compare(
    _ a: BundleReader, _ b: BundleReader, _ request: BundleComparer.Request = .init()
  ) throws -> BundleDiff {
    let (first, second) = (try BundleInventory(a), try BundleInventory(b))
    return try BundleComparer(
      (a, b), (first, second),
      (try #require(first.check.manifest), try #require(second.check.manifest)), request
    ).compare()
  }

  private func compare(
    _ a: Sample, _ b: Sample, _ request: BundleComparer.Request = .init()
  ) throws -> BundleDiff {
    try compare(try pack(a, "a.tar"), try pack(b, "b.tar"), request)
  }

  /// As for a reproduction: also where a URL has it, and before elements are sorted.
  @Test func theFolderOfThePackageMakesNoOtherMessage() throws {
    func sample(_ package: String, _ url: String) -> Sample {
      var sample = Sample()
      sample.message = "nothing at file://\(url)/x among [\(package)/a, /m/b]"
      let event =
        #"{"kind":"runStarted","payload":{"packagePath":"\#(package)"}}"#
      sample.files = ["events.jsonl": Array((event + "\n").utf8)]
      return sample
    }
    let (a, b) = (sample("/home/my app", "/home/my%20app"), sample("/z/é", "/z/%C3%A9"))
    #expect(try compare(a, b).sameMessage)
    #expect(try !compare(a, b, .init(isExact: true)).sameMessage)
  }

  private func states(_ diff: BundleDiff) -> [BundlePart: PartDiff.State] {
    Dictionary(uniqueKeysWithValues: diff.parts.map { ($0.part, $0.state) })
  }

  private func text(_ text: String) -> [UInt8] { Array(text.utf8) }

  /// Another run on another machine that ended in the same way is the same.
  @Test func whatDiffersAnywayDoesNotCount() throws {
    let a = Sample(files: ["logs/stdout.log": text("in /tmp/carrel-1000/Zq3x9A/w1/home\n")])
    var b = Sample(files: ["logs/stdout.log": text("in /tmp/carrel/home\n")])
    b.container = "/tmp/carrel"
    b.runID = "20261130T061143Z-507f93"
    b.attempt = 2
    let diff = try compare(a, b)
    #expect(!diff.isDifferent, "\(DiffReport(diff).text)")
    #expect(diff.sameTest && diff.sameVerdict && diff.sameMessage)
    let logs = try #require(diff.parts.first { $0.part == .logs })
    #expect(logs.state == .same && logs.equalButNames == 1)
    #expect(diff.replaced.map(\.placeholder) == ["<container>", "<run>"])
    let exact = try compare(a, b, .init(isExact: true))
    #expect(exact.isDifferent && exact.replaced.isEmpty)
    let different: Set<BundlePart> = [.manifest, .logs, .command]
    #expect(Set(exact.parts.filter(\.isDifferent).map(\.part)) == different)
  }

  @Test func everyPartIsCompared() throws {
    var a = Sample()
    var b = Sample()
    a.environment["CI"] = "true"
    b.message = "1 is not 3"
    b.predecessors = [TestID(product: "P", library: .xctest, name: "M.C/before")]
    let call = """
      {"bundle":"com.example.App","method":"intent.perform","intent":"Say","parameters":{"n":1},\
      "time":1,"duration":0.1,"result":{},"queries":[],"runtime":"L"}

      """
    a.files = [
      "journal.jsonl": text(call), "logs/stdout.log": text("a\n"), "container/home/x": text("x\n"),
      "container/home/b": [0, 1], "crash/x.json": text("{}"), "container/home/gone": [],
    ]
    b.files = [
      "journal.jsonl": text(call.replacing("\"n\":1", with: "\"n\":2")),
      "logs/stdout.log": text("b\n"), "container/home/x": text("y\n"), "container/home/b": [0, 2],
      "crash/x.json": text("{ }"),
    ]
    let diff = try compare(a, b)
    #expect(diff.sameTest && diff.sameVerdict && !diff.sameMessage)
    #expect(
      states(diff) == [
        .manifest: .different, .journal: .different, .index: .absent, .logs: .different,
        .command: .different, .container: .different, .other: .different,
      ])
    func part(_ part: BundlePart) throws -> PartDiff {
      try #require(diff.parts.first { $0.part == part })
    }
    let fields = try part(.manifest).fields?.filter { !$0.isExpected }.map(\.name)
    #expect(fields == ["issues[0].message", "predecessors[0]"])
    #expect(try part(.command).fields?.map(\.name) == ["environment.CI"])
    #expect(try part(.journal).calls?.rows.first?.fields.map(\.name) == ["parameters.n"])
    let files = try #require(try part(.container).files)
    #expect(files.map(\.name.shown) == ["b", "gone", "x"].map { "container/home/\($0)" })
    #expect(files[0].noText == .binary && files[0].text == nil)
    #expect(files[1].b == nil && files[2].text?.hunks.first?.lines == ["-x", "+y"])
    #expect(try part(.other).files?.first?.text != nil)
  }

  @Test func onlyPartsThatWereAskedForAreCompared() throws {
    let a = Sample(files: ["logs/stdout.log": text("a\n")])
    let b = Sample(message: "other", files: ["logs/stdout.log": text("a\n")])
    let diff = try compare(a, b, .init(parts: [.logs, .container]))
    #expect(diff.parts.map(\.part) == [.logs, .container])
    #expect(!diff.isDifferent && !diff.sameMessage)
  }

  @Test func toolchainsAreTold() throws {
    func record(_ version: String) -> ToolchainRecord {
      ToolchainRecord(
        path: "/usr/bin", reason: "PATH",
        facts: ToolchainFacts(["compiler.version": version, "libc": "glibc 2.36"]))
    }
    let diff = try compare(Sample(toolchain: record("6.3.1")), Sample(toolchain: record("6.2")))
    let fields = try #require(diff.parts.first?.fields?.filter { !$0.isExpected })
    #expect(fields.map(\.name) == ["toolchainDetails.facts.compiler.version"])
    #expect(fields[0].note == "can change results")
    // An older Carrel did not say.
    let older = try compare(Sample(toolchain: record("6.3.1")), Sample())
    #expect(
      older.parts.first?.fields?.filter { !$0.isExpected }.map(\.name) == ["toolchainDetails"])
  }

  /// What cannot be read does not pass for equal, and does not keep the rest from being compared.
  @Test func unreadablePartsAreNamed() throws {
    let a = Sample(files: [
      "index.sqlite": text("no database"), "journal.jsonl": text("no JSON\n"),
      "logs/stdout.log": text("a\n"),
    ])
    let b = Sample(files: [
      "index.sqlite": text("none either"), "journal.jsonl": text("{}\n"),
      "logs/stdout.log": text("b\n"),
    ])
    let diff = try compare(a, b)
    #expect(states(diff)[.index] == .unreadable && states(diff)[.journal] == .unreadable)
    #expect(states(diff)[.logs] == .different)
    #expect(diff.parts.first { $0.part == .index }?.notes.isEmpty == false)
    // Equal bytes need not be understood.
    #expect(states(try compare(a, a))[.index] == .same)
  }

  /// The exit status of the command.
  private func status(_ a: Sample, _ b: Sample, _ options: String...) throws -> ExitCode {
    let paths = (try pack(a, "a.tar").path, try pack(b, "b.tar").path)
    let file = folder.path(of: "output")
    try writeSmallFile(file, [])
    let descriptor = open(file, O_WRONLY)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    let output = Terminal(descriptor: descriptor)
    return try BundleDiffCommand(
      ParsedArguments(["diff", paths.0, paths.1] + options, spec: BundleCommand.spec),
      CommandContext(output: output, errors: output, environment: [:])
    ).run(paths, asJSON: false)
  }

  /// As diff(1) ends, but 8 when something could not be compared.
  @Test func statusSaysWhetherTheyDiffer() throws {
    let broken = Sample(files: ["index.sqlite": text("no database")])
    #expect(try status(Sample(), Sample()) == .success)
    #expect(try status(Sample(), Sample(message: "other")) == .bundlesDiffer)
    #expect(try status(Sample(), Sample(attempt: 2)) == .success)
    #expect(try status(Sample(), Sample(attempt: 2), "--exact") == .bundlesDiffer)
    #expect(try status(broken, broken) == .success)
    #expect(try status(Sample(), broken) == .badBundle)
    #expect(try status(Sample(), broken, "--force") == .bundlesDiffer)
    #expect(try status(Sample(), broken, "--part", "logs") == .success)
    #expect(ExitCode.bundlesDiffer.rawValue == 1)
  }

  /// Two logs as large as logs get, with nothing in common, in a bounded time.
  @Test(.timeLimit(.minutes(10))) func logsWithNothingInCommon() throws {
    func log(_ letter: String) -> [UInt8] {
      (0..<(2 << 20) / 8).flatMap { text("\(letter)\(String(1_000_000 + $0).dropFirst())\n") }
    }
    let diff = try compare(
      Sample(files: ["logs/stdout.log": log("a")]), Sample(files: ["logs/stdout.log": log("b")]))
    let logs = diff.parts.first { $0.part == .logs }?.files?.first?.text
    #expect(logs?.removed == (2 << 20) / 8 && logs?.hunks.count == 1)
  }

  @Test func largeFilesAreComparedByTheirDigests() throws {
    let large = [UInt8](repeating: UInt8(ascii: "x"), count: BundleComparer.Limits.file + 1)
    let diff = try compare(
      Sample(files: ["container/home/x": large]),
      Sample(files: ["container/home/x": large.dropLast() + [10]]))
    let file = try #require(diff.parts.first { $0.part == .container }?.files?.first)
    #expect(file.text == nil && file.noText == .large && file.changes == [.content])
  }

  /// The JSON is read again by what does not know Carrel, and has no character that drives a
  /// terminal.
  @Test func theJSONIsHarmless() throws {
    let hidden = "\u{1B}[2J\u{85}\u{202E}\u{E0001}\n"
    let diff = try compare(
      Sample(files: ["container/home/\(hidden)": [], "logs/stdout.log": text(hidden)]),
      Sample(message: "x\(hidden)"))
    let json = terminalSafeJSON(try jsonText(diff))
    let isHarmless = json.unicodeScalars.allSatisfy {
      $0 == "\n" || ($0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) && !$0.isHidden)
    }
    #expect(isHarmless)
    struct Read: Decodable {
      struct Side: Decodable { var message: String }
      var b: Side
    }
    #expect(
      try JSONDecoder().decode(Read.self, from: Data(json.utf8)).b.message == "x\(hidden)")
  }

  /// Each key that is written is in the grammar, and each of the grammar is written somewhere.
  @Test func theGrammarOfTheJSONIsThatOfTheCode() throws {
    let page = DocumentationPage(try DocumentationFiles.text("docs/bundle-diff.md"))
    let grammar = page.code.filter { $0.language == "ebnf" }.map(\.text).joined(separator: "\n")
    let documented = Set(grammar.matches(of: #/"(\w+)"\??:/#).map { String($0.1) })
    let sources = try DocumentationFiles.sources(in: "Comparison")
    #expect(documented.count > 50)
    for key in documented {
      #expect(
        sources.contains("var \(key)") || sources.contains(" \(key),")
          || sources.contains(", \(key)"), "\(key)")
    }
    var a = Sample(
      files: [
        "logs/stdout.log": text("a"), "container/home/x": [0], "index.sqlite": text("x"),
        "journal.jsonl": text(#"{"bundle":"b","method":"m"}"#),
      ])
    a.environment["CI"] = "1"
    let diff = try compare(
      a, Sample(files: ["logs/stdout.log": text("b"), "container/home/x": [1]]))
    let written = Set(
      try jsonText(diff).matches(of: #/(?m)^ *"(\w+)" : /#).map { String($0.1) })
    #expect(written.isSubset(of: documented), "\(written.subtracting(documented))")
    #expect(grammar.contains("\"format\": \"\(bundleDiffFormat)\""))
  }

  // MARK: Properties

  private func random(_ generator: inout SeededGenerator) -> Sample {
    var sample = Sample()
    func chance() -> Bool { generator.chance(0.5) }
    if chance() { sample.attempt = 2 }
    if chance() { sample.verdict = .crashed }
    if chance() { sample.message = "other in /tmp/carrel/x" }
    if chance() { sample.container = "/tmp/carrel" }
    if chance() { sample.environment = ["CI": "1"] }
    sample.predecessors = (0..<Int.random(in: 0...4, using: &generator)).map { _ in
      TestID(
        product: "P", library: .xctest,
        name: "M.C/t\(Int.random(in: 0...3, using: &generator))")
    }
    func bytes() -> [UInt8] {
      (0..<Int.random(in: 0...30, using: &generator)).flatMap { _ -> [UInt8] in
        let line = ["a", "b", sample.container, "\u{1B}", "\u{0}"].randomElement(using: &generator)
        return Array((line ?? "").utf8) + (chance() ? [10] : [0xFF])
      }
    }
    for name in [
      "logs/stdout.log", "logs/stderr.log", "container/home/a", "container/home/ü\n", "hang.txt",
      "attachments/x", "index.sqlite",
    ] where chance() {
      sample.files[name] = bytes()
    }
    if chance() {
      sample.files["journal.jsonl"] = (0..<Int.random(in: 0...6, using: &generator)).flatMap { _ in
        text(
          """
          {"bundle":"b","method":"m","intent":"\(chance() ? "A" : "B")",\
          "parameters":{"x":\(Int.random(in: 0...2, using: &generator))},"duration":0.1}

          """)
      }
    }
    return sample
  }

  /// A bundle is the same as itself, and two bundles differ in the same way from both sides.
  @Test func randomBundles() throws {
    var generator = SeededGenerator(seed: 7)
    for _ in 0..<60 {
      let a = try pack(random(&generator), "a.tar")
      let b = try pack(random(&generator), "b.tar")
      for isExact in [false, true] {
        let request = BundleComparer.Request(isExact: isExact)
        let own = try compare(a, a, request)
        #expect(!own.isDifferent && own.sameMessage, "\(DiffReport(own).text)")
        let diff = try compare(a, b, request)
        #expect(
          try compare(b, a, request).inOneOrder == diff.mirrored.inOneOrder,
          "\(DiffReport(diff).text)")
      }
    }
  }
}

extension BundleDiff {
  /// With rows of calls and notes in an order that is the same from both sides.
  fileprivate var inOneOrder: BundleDiff {
    var result = self
    for index in parts.indices {
      result.parts[index].notes.sort()
      result.parts[index].calls?.rows.sort {
        ($0.a ?? .max, $0.b ?? .max) < ($1.a ?? .max, $1.b ?? .max)
      }
    }
    return result
  }

  /// The same seen from the other side.
  fileprivate var mirrored: BundleDiff {
    var result = self
    swap(&result.a, &result.b)
    result.replaced = replaced.map {
      ReplacedName(placeholder: $0.placeholder, a: $0.b, b: $0.a)
    }
    result.parts = parts.map(\.mirrored)
    return result
  }
}

extension PartDiff {
  fileprivate var mirrored: PartDiff {
    var result = self
    result.state = state == .onlyA ? .onlyB : state == .onlyB ? .onlyA : state
    // Notes name the sides, A before B.
    result.notes = notes.map { note in
      let other = ["A": "B", "B": "A"]
      return note.replacing(#/ of ([AB])\b/#) { " of \(other[String($0.1)] ?? "")" }
    }
    result.fields = fields?.map(\.mirrored)
    result.calls?.rows = (calls?.rows ?? []).map { row in
      var row = row
      swap(&row.a, &row.b)
      row.fields = row.fields.map(\.mirrored)
      return row
    }
    result.entries?.rows = (entries?.rows ?? []).map { row in
      var row = row
      swap(&row.inA, &row.inB)
      row.fields = row.fields.map(\.mirrored)
      return row
    }
    result.files = files?.map { file in
      var file = file
      swap(&file.a, &file.b)
      file.text = file.text?.mirrored
      return file
    }
    return result
  }
}

extension FieldDifference {
  fileprivate var mirrored: FieldDifference {
    var result = self
    result.name = name.replacing(#/\[(\d+)\|(\d+)\]/#) { "[\($0.2)|\($0.1)]" }
    swap(&result.a, &result.b)
    return result
  }
}

extension TextDifference {
  fileprivate var mirrored: TextDifference {
    var result = self
    swap(&result.removed, &result.added)
    result.hunks = hunks.map { hunk in
      var hunk = hunk
      swap(&hunk.aStart, &hunk.bStart)
      swap(&hunk.aCount, &hunk.bCount)
      // Within a change, what was taken out comes first.
      var lines: [String] = []
      var (old, new): ([String], [String]) = ([], [])
      var last = ""
      for line in hunk.lines {
        let mark = line.hasPrefix("\\") ? last : String(line.prefix(1))
        let isMark = !line.hasPrefix("\\")
        switch mark {
        case "-": new.append(isMark ? "+" + line.dropFirst() : line)
        case "+": old.append(isMark ? "-" + line.dropFirst() : line)
        default:
          lines += old + new + [line]
          (old, new) = ([], [])
        }
        last = mark
      }
      hunk.lines = lines + old + new
      return hunk
    }
    return result
  }
}
