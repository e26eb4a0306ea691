import FoundationEssentials
import Orchestration
import RunModel
import Testing
import Workers

@testable import CarrelCLI

/// Holds the documents to what the code does.
@Suite struct DocumentationTests {
  static let specs = [
    RunCommand.spec, ListCommand.spec, ArchiveCommand.spec, BundleCommand.spec, ReproCommand.spec,
    RerunCommand.spec,
    ResumeCommand.spec, ReportCommand.spec, RunsCommand.spec, MergeCommand.spec,
    ToolchainCommand.spec, DoctorCommand.spec, MetadataCommand.spec,
  ]

  /// The list above is that of the sources.
  @Test func everyCommandIsKnownHere() throws {
    let folder = DocumentationFiles.root.appending(path: "Sources/CarrelCLI")
    var names: [String] = []
    for file in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      let text = String(
        decoding: try Data(contentsOf: folder.appending(path: file)), as: UTF8.self)
      names += text.matches(of: #/CommandSpec\(\s*name: "([^"]+)"/#).map { String($0.1) }
    }
    #expect(names.sorted() == Self.specs.map(\.name).sorted())
  }

  // MARK: Commands

  @Test(arguments: DocumentationFiles.all)
  func commandsAreUnderstood(path: String) throws {
    for (number, words) in try commands(path) {
      let line = "\(path):\(number): \(words.joined(separator: " "))"
      if words[0].hasPrefix("ci/") {
        #expect(DocumentationFiles.isExecutable(words[0]), "\(line): there is no such script")
      }
      guard words[0] == "carrel" || words[0].hasSuffix("/carrel") else { continue }
      do {
        try check(Array(words.dropFirst()))
      } catch let error as UsageError {
        Issue.record("\(line): \(error.message)")
      } catch {
        Issue.record("\(line): \(error)")
      }
    }
  }

  @Test func readmeShowsEveryCommand() throws {
    let used = Set(
      try commands("README.md").filter { $0.words[0] == "carrel" }.compactMap {
        $0.words.dropFirst().first
      })
    for spec in Self.specs {
      #expect(used.contains(spec.name), "README.md has no carrel \(spec.name)")
    }
  }

  /// The tests of the commands are worth something only when a wrong one is found.
  @Test(arguments: [
    ["frob"], [], ["run", "--bogus"], ["run", "--workers", "none"], ["run", "--filter", "("],
    ["bundle", "eat"], ["bundle", "list", "--", "x"], ["rerun", "--batch", "0"],
    ["list", "--format", "xml"], ["run", "a", "b"], ["repro", "--container", "old", "x"],
  ])
  func wrongCommandsAreFound(words: [String]) {
    #expect(throws: (any Error).self) { try check(words) }
  }

  private func commands(_ path: String) throws -> [(number: Int, words: [String])] {
    let page = DocumentationPage(try DocumentationFiles.text(path))
    return DocumentationShell(
      page.code.filter { $0.language == "sh" }.map { ($0.number, $0.text) }
    ).commands
  }

  /// Parses the words after `carrel` with the parsers that the commands use.
  private func check(_ words: [String]) throws {
    guard let name = words.first else { throw UsageError(message: "no command") }
    if ["--version", "version", "--help", "-h", "help"].contains(name) { return }
    guard let spec = Self.specs.first(where: { $0.name == name }) else {
      throw UsageError(message: "no command '\(name)'")
    }
    let parsed = try ParsedArguments(words.dropFirst(), spec: spec)
    func has(_ option: String) -> Bool { spec.options.contains { $0.names.contains(option) } }
    if has("--skip-build") {
      // The archive of an example is not there.
      _ = try PackageOptions.configuration(
        parsed.without("--archive"), package: ".", CommandContext())
    }
    if has("--workers") { _ = try RunOptions.configuration(parsed, commandLine: words) }
    if has("--filter") {
      _ = try TestFilter(
        include: parsed.all("--filter"), skip: parsed.all("--skip"), ids: parsed.all("--test"))
    }
    // Words that a command checks itself stand in the placeholder of its option or argument.
    for option in spec.options {
      guard let words = option.value?.split(separator: "|").map({ String($0) }), words.count > 1,
        !words.contains("N")
      else { continue }
      _ = try parsed.choice(option.names[0], of: words)
    }
    for (value, placeholder) in zip(parsed.positionals, spec.positionals) {
      let words = placeholder.split(separator: "|").map { String($0) }
      guard words.count > 1, !words.contains(value) else { continue }
      throw UsageError(message: "'\(value)' is none of \(placeholder)")
    }
  }

  // MARK: Decisions

  @Test func readmeListsEveryDecisionByItsNumber() throws {
    let folder = DocumentationFiles.root.appending(path: "docs/decisions")
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    let readme = try DocumentationFiles.text("README.md")
    let listed = readme.matches(of: #/\(docs/decisions/([^)#]+)\)/#).map { String($0.1) }
    #expect(listed == files)
    for file in files {
      let number = try #require(Int(file.prefix(4)), "\(file) has no number")
      let text = try DocumentationFiles.text("docs/decisions/\(file)")
      #expect(text.hasPrefix("# \(number). "), "the title of \(file) has not its number")
    }
  }

  // MARK: Links

  @Test(arguments: DocumentationFiles.all)
  func linksLeadSomewhere(path: String) throws {
    for (number, target) in DocumentationPage(try DocumentationFiles.text(path)).links {
      guard let link = DocumentationLink(target, in: path) else { continue }
      guard let file = link.path, DocumentationFiles.exists(file) else {
        Issue.record("\(path):\(number): \(target) leads nowhere")
        continue
      }
      guard let anchor = link.anchor, file.hasSuffix(".md") else { continue }
      let anchors = DocumentationPage.anchors(in: try DocumentationFiles.text(file))
      #expect(anchors.contains(anchor), "\(path):\(number): no heading for \(target)")
    }
  }

  @Test func everyDocumentIsReachedFromTheReadme() throws {
    var seen: Set<String> = []
    var queue = ["README.md"]
    while let path = queue.popLast() {
      guard seen.insert(path).inserted, DocumentationFiles.all.contains(path) else { continue }
      queue += DocumentationPage(try DocumentationFiles.text(path)).links.compactMap {
        DocumentationLink($0.target, in: path)?.path
      }
    }
    #expect(DocumentationFiles.all.filter { !seen.contains($0) } == [])
  }

  // MARK: Tables

  @Test func exitCodesAreThoseOfTheCode() throws {
    let rows = ExitCode.allCases.map { "| \($0.rawValue) | \($0.meaning) |\n" }.joined()
    try GeneratedSection(path: "docs/exit-codes.md", name: "exit codes").expect(
      "\n| status | meaning |\n|---|---|\n\(rows)\n")
  }

  @Test func factsOfTheToolchainAreThoseOfTheCode() throws {
    let rows = ToolchainFactKind.allCases.map { kind in
      let weights = ToolchainPolicy.allCases.filter { $0 != .off }.map { policy in
        kind == .compilerVersion && policy == .compatible
          ? "warning; another major or minor number is an error"
          : ToolchainDifference(
            fact: kind.rawValue + (kind.isFamily ? "x" : ""), wanted: "1", found: "2"
          ).weight(policy).rawValue
      }
      let name = kind.rawValue + (kind.isFamily ? "NAME" : "")
      return "| `\(name)` | \(kind.meaning) | \(Self.place(of: kind)) | \(weights[0]) | "
        + "\(weights[1]) |\n"
    }.joined()
    try GeneratedSection(path: "docs/toolchain-manifest.md", name: "facts").expect(
      "\n| fact | what it is | where it is | `exact` | `compatible` |\n"
        + "|---|---|---|---|---|\n\(rows)\n"
    )
  }

  private static func place(of kind: ToolchainFactKind) -> String {
    switch kind {
    case .kernelMinimum: "manifest"
    case .sandbox: "manifest"
    case .kernelRelease: "records, bundles"
    case .product, .host: "manifest with `--with-build`, bundles"
    default: "manifest, records, bundles"
    }
  }

  @Test func optionsAreThoseOfTheCode() throws {
    let sections = Self.specs.map { spec in
      "\n## carrel \(spec.name)\n\n```text\n\(spec.help)\n```\n"
    }
    try GeneratedSection(path: "docs/options.md", name: "options").expect(
      sections.joined() + "\n")
  }

  @Test func everyVerdictIsExplained() throws {
    let text = try DocumentationFiles.text("docs/verdicts.md")
    for verdict in Verdict.allCases {
      #expect(text.contains("| `\(verdict.rawValue)` |"), "\(verdict) is not explained")
    }
  }

  @Test func everyVariableOfATestIsExplained() throws {
    let text = try DocumentationFiles.text("docs/environment.md")
    let all = TestEnvironment(
      caller: Dictionary(uniqueKeysWithValues: TestEnvironment.allowed.map { ($0, "x") }),
      additional: []
    ).variables(container: Container(root: "/c"), run: "r", worker: 1, workers: 1, batch: 1)
    for name in all.keys.sorted() + [SupervisedProcess.scopeVariable] {
      #expect(text.contains("| `\(name)` |"), "\(name) is not explained")
    }
  }
}
