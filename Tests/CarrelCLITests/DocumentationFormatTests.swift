import FoundationEssentials
import Orchestration
import RunEngine
import RunModel
import SwiftTests
import Testing
import Workers

@testable import CarrelCLI
@testable import Evidence
@testable import IntentSystem

/// Holds the documents' tables of names, limits and formats to the code.
@Suite struct DocumentationFormatTests {
  private static func rows(_ path: String, below heading: String) throws -> [[String]] {
    let rows = DocumentationPage.rows(of: try DocumentationFiles.text(path), below: heading)
    try #require(!rows.isEmpty, "\(path) has no table below '\(heading)'")
    return rows
  }

  /// The quoted words of the first column of a table.
  private static func names(_ path: String, below heading: String) throws -> [String] {
    try rows(path, below: heading).flatMap { DocumentationPage.quoted(in: $0[0]) }
  }

  private static func matches(
    _ expression: Regex<(Substring, Substring)>, in text: String
  ) -> Set<String> {
    Set(text.matches(of: expression).map { String($0.output.1) })
  }

  @Test func everyProblemCodeIsInTheTable() throws {
    let codes =
      // Package, toolchain and patterns are looked at before there is a record.
      SwiftTestsError.Code.allCases.filter {
        ![.noPackage, .noToolchain, .toolchainNotInstalled, .invalidToolchainRequest].contains($0)
      }.map(\.rawValue) + WorkersError.Code.allCases.map(\.rawValue)
      + RunEngineError.Code.allCases.filter { $0 != .noProduct }.map(\.rawValue)
      + [OrchestrationError.Code.unknownTest, .ambiguousTest].map(\.rawValue)
      + [ExitCode.environment.code]
      + Self.matches(
        #/Code\(rawValue: "([^"]+)"\)/#,
        in: try DocumentationFiles.text("Sources/RunModel/RunProblem.swift"))
    #expect(
      try Self.names("docs/event-log.md", below: "## Codes of problems").sorted()
        == Set(codes).sorted())
  }

  /// The order of the table is that of the archive.
  @Test func everyEntryOfABundleIsInTheTable() throws {
    let top = try Self.names("docs/bundle-format.md", below: "## Entries and their order").map {
      String($0.prefix { $0 != "/" })
    }.reduce(into: [String]()) { if $0.last != $1 { $0.append($1) } }
    let contents = try DocumentationFiles.text("Sources/Evidence/BundleContents.swift")
    let known = Self.matches(#/package static let \w+ = "([^"\/]+)/#, in: contents)
    #expect(Set(top) == known)
    #expect(top == [BundlePaths.manifest] + BundlePaths.order + [BundlePaths.contents])
  }

  /// The order of the table is that of the archive.
  @Test func everyEntryOfARunArchiveIsInTheTable() throws {
    let table = try Self.names("docs/run-archive.md", below: "## The archive")
    #expect(
      table == [
        RunArchivePaths.manifest, RunArchivePaths.configuration, RunArchivePaths.tests,
        RunArchivePaths.observer, RunArchivePaths.package, RunArchivePaths.products,
        RunArchivePaths.runtimeLibraries, "\(RunArchivePaths.runtime)/libexec/swift/linux",
        RunArchivePaths.contents,
      ])
    #expect(table.dropFirst(3).dropLast() == table.dropFirst(3).dropLast().sorted()[...])
  }

  @Test func everyKeyOfARunArchivesManifestIsInTheTable() throws {
    let manifest = RunArchiveManifest(
      carrel: "", observer: "", package: "/", builtProducts: "/", buildConfiguration: "debug",
      buildFlags: [], compiler: "", facts: ToolchainFacts(), products: [], warnings: [], tests: 0,
      includes: [], hasRuntime: false)
    let written = Mirror(reflecting: manifest).children.compactMap(\.label)
    let table = try Self.names("docs/run-archive.md", below: "### manifest.json")
      .filter { written.contains($0) }
    #expect(table.sorted() == written.sorted())
  }

  @Test func everyLimitOfABundleIsInTheTable() throws {
    let rows = Dictionary(
      try Self.rows("docs/limits.md", below: "## Failure bundle").map { ($0[0], $0[1]) },
      uniquingKeysWith: { first, _ in first })
    let labels = [
      "totalBytes": "bytes of all files together, announced or read", "entries": "entries",
      "depth": "components of a path", "pathBytes": "bytes of a path or link target",
      "manifestBytes": "`manifest.json`", "contentsBytes": "`contents.json`",
    ]
    for limit in Mirror(reflecting: BundleLimits()).children {
      let name = try #require(limit.label)
      let label = try #require(labels[name], "no row of the table is known for \(name)")
      let value = try #require(limit.value as? Int)
      let text = try #require(rows[label], "docs/limits.md has no row '\(label)'")
      #expect(text.prefix { $0 != ";" }.hasPrefix(Self.size(value)), "\(name): \(text)")
    }
  }

  @Test func theLimitOfALogIsInTheTable() throws {
    let limits = CappedLog.Limits()
    let rows = try Self.rows("docs/limits.md", below: "## Run record")
    let log = try #require(rows.first { $0[0] == "log of one attempt and stream" })
    let wanted = "first \(Self.size(limits.head)) and last \(Self.size(limits.tail));"
    #expect(log[1].hasPrefix(wanted))
  }

  @Test func theLimitOfAnAppsWordsIsInTheTable() throws {
    let page = try DocumentationFiles.text("docs/limits.md")
    #expect(
      page.contains("| an app's words in an error | last \(HostLog.limit / 1024) KiB;"))
  }

  @Test func everyLimitOfAResultIsInTheTable() throws {
    let rows = try Self.rows("docs/limits.md", below: "## What a test says").map {
      $0.joined(separator: " ")
    }.joined(separator: "\n")
    for limit in Mirror(reflecting: ResultLimits.standard).children {
      let value = try #require(limit.value as? Int)
      let isKiB = value % 1024 == 0 && value < 1 << 20
      let text = isKiB ? "\(value / 1024) KiB" : Self.size(value)
      #expect(rows.contains(text), "no row tells \(limit.label ?? "") of \(text)")
    }
  }

  /// `2 GiB`, `1 MiB`, `16,384`.
  private static func size(_ value: Int) -> String {
    for (unit, name) in [(1 << 30, "GiB"), (1 << 20, "MiB")] where value % unit == 0 {
      return "\(value / unit) \(name)"
    }
    var digits = Array(String(value))
    for position in stride(from: digits.count - 3, to: 0, by: -3) {
      digits.insert(",", at: position)
    }
    return String(digits)
  }

  @Test func everyVariableThatIsReadIsInTheTable() throws {
    let sources = try DocumentationFiles.sources()
    // Not those that are set: `environment["X"] = …`.
    let read = Self.matches(
      #/[eE]nvironment\["([A-Z_]+)"(?:\](?! = )|, default:)/#, in: sources)
    #expect(read.count > 3)
    let table = try ["## What Carrel reads", "## App Intents"].flatMap { heading in
      try Self.names("docs/environment.md", below: heading)
    }.filter { $0.allSatisfy { $0.isUppercase || $0 == "_" } }
    #expect(Set(table) == Set(read))
    #expect(!sources.contains(#/\bgetenv\(/#), "variables are read in a way that is not checked")
  }

  @Test func everyVariableOfTheObserverIsInTheTable() throws {
    let observer = try ["interpose", "warm"].map {
      try DocumentationFiles.text("Sources/SwiftTests/Observer/\($0).c.in")
    }.joined()
    let taken = Self.matches(#/(?:take|unsetenv)\("([A-Z_]+)"\)/#, in: observer)
    let table = try Self.names("docs/environment.md", below: "### Gone before the first test")
    #expect(table.sorted() == taken.sorted())
  }

  @Test func theGrammarOfTheChannelIsThatOfTheObserver() throws {
    let page = DocumentationPage(try DocumentationFiles.text("docs/channel.md"))
    let grammar = page.code.filter { $0.language == "ebnf" }.map(\.text).joined(separator: "\n")
    let swift = try DocumentationFiles.text("Sources/SwiftTests/Observer/Observer.swift.in")
    let c = try ["interpose", "refusals"].map {
      try DocumentationFiles.text("Sources/SwiftTests/Observer/\($0).c.in")
    }.joined()
    let sent = Self.matches(#/\("k", "(\w+)"\)/#, in: swift)
      .union(Self.matches(#/\{\\"k\\":\\"(\w+)\\"/#, in: c))
    let reader = try DocumentationFiles.text("Sources/SwiftTests/ChannelRecord.swift")
    let kinds = try #require(
      reader.firstMatch(of: #/enum Kind: String, Decodable \{\s*case ([^}]+)\}/#))
    let read = Set(kinds.output.1.matches(of: #/\w+/#).map { String($0.output) })
    #expect(sent == read)
    #expect(Self.matches(#/"k": "(\w+)"/#, in: grammar) == sent)
    // The calls of the record `homes` are names of their own.
    let keys = Self.matches(#/\("(\w{1,8})", /#, in: swift).filter { $0.first?.isLowercase == true }
    #expect(keys.count > 8)
    for key in keys.sorted() {
      #expect(
        grammar.contains("\"\(key)\":") || grammar.contains("\"\(key)\"?:"),
        "the grammar has no \"\(key)\"")
    }
  }

  /// The example is what the code reads, and has all that it writes.
  @Test func theExampleOfACommandIsReadable() throws {
    let page = DocumentationPage(try DocumentationFiles.text("docs/bundle-format.md"))
    let example = page.code.filter { $0.language == "json" }.map(\.text).joined(separator: "\n")
    let command = try JSONDecoder().decode(RecordedCommand.self, from: Data(example.utf8))
    let keys = Mirror(reflecting: command).children.compactMap(\.label).sorted()
    let written = example.matches(of: #/(?m)^  "(\w+)" :/#).map { String($0.output.1) }
    #expect(written == keys)
  }

  @Test func everyKeyOfTheManifestIsInTheTable() throws {
    let source = try DocumentationFiles.text("Sources/Evidence/BundleManifest.swift")
    let written = Self.matches(#/forKey: \.(\w+)\)/#, in: source)
    #expect(written.count > 20)
    let table = try Self.names("docs/bundle-format.md", below: "## manifest.json")
    #expect(table.sorted() == written.sorted())
  }
}
