import FoundationEssentials
import RunModel
import TestSupport
import Testing

extension EndToEnd {
  /// Choosing tests: by pattern, by ID, from the list.
  @Suite struct SelectionTests {
    /// XCTest only, Swift Testing only, both.
    @Test(arguments: ["LinuxMain", "StartFailure", "Outcomes"])
    func nothingMatched(fixture: String) async throws {
      let run = try await Carrel.run(fixture, "--filter", "BasicXCTests/testPassses")
      #expect(run.output.status == 4, "\(run)")
      #expect(run.output.allText.contains("BasicXCTests/testPassses"), "\(run)")
      if fixture == "Outcomes" {
        #expect(run.output.allText.contains("testPasses'"), "\(run)")
      }
      let report = try await run.junit
      #expect(report.root.count("tests") == report.cases.count)
      #expect(report.statuses.isEmpty)
    }

    @Test func nothingMatchedIsAllowedOnRequest() async throws {
      let run = try await Carrel.run("Outcomes", "--filter", "noSuchTest", "--allow-empty")
      #expect(run.output.status == 0, "\(run)")
      #expect(try await run.junit.root.count("tests") == 0)
    }

    /// A listing is kept for the next command: the product is not asked again as long as it is the
    /// same file.
    @Test func aListingIsRemembered() async throws {
      let package = try await FixturePackage.prepare("ManySmall")
      let cache = try TemporaryFolder()
      let environment = ["XDG_CACHE_HOME": cache.path]
      let first = try await Carrel.invoke(
        ["list", package.path, "--skip-build"], environment: environment)
      #expect(first.status == 0, "\(first.allText)")
      let products = cache.path(of: "carrel/products")
      let names = try FileManager.default.contentsOfDirectory(atPath: products)
      // What is remembered is what is printed.
      let name = try #require(names.first { $0.hasSuffix(".tests") }, "\(names)")
      let memory = "\(products)/\(name)"
      let text = String(decoding: try readFile(memory), as: UTF8.self)
      try Data(text.replacing("test000", with: "testRemembered").utf8).write(
        to: URL(filePath: memory))
      let second = try await Carrel.invoke(
        ["list", package.path, "--skip-build"], environment: environment)
      #expect(
        second.text == first.text.replacing("test000", with: "testRemembered"),
        "\(second.allText.prefix(2000))")
    }

    @Test func skipWins() async throws {
      let run = try await Carrel.run(
        "Outcomes", "--filter", "BasicXCTests", "--filter", "SetUpXCTests", "--skip", "Fail|Throw",
        "--skip", "Async")
      #expect(run.output.status == 0, "\(run)")
      #expect(
        try run.state.tests.map(\.id.function).sorted() == [
          "testPasses", "testRuns", "testSkippedBySetUp", "testSkips", "testSkipsIf",
          "testSkipsUnless",
        ])
    }

    /// From the list to a selection to the report: the same ID, and exactly that test.
    @Test func everyListedIDSelectsItsTest() async throws {
      let package = try await FixturePackage.prepare("Outcomes")
      let listing = try await Carrel.invoke([
        "list", package.path, "--skip-build", "--filter", "RawNameTests|Raw suite|Overload|BasicX",
      ])
      #expect(listing.status == 0, "\(listing.errorText)")
      let ids = listing.text.split(separator: "\n").map(String.init)
      #expect(ids.count == 22, "\(listing.text)")
      for id in ids {
        let run = try await Carrel.run("Outcomes", "--test", id)
        let test = try #require(try run.state.tests.first, "\(run)")
        #expect(try run.state.tests.count == 1, "\(run)")
        // The list may shorten an ID as long as it names one test.
        #expect(test.id.description == id || test.id.printableName == id)
        let outcome = try #require(
          OutcomeTable.all.first { "OutcomesTests.\($0.name)" == test.id.name }, "\(id)")
        #expect(try run.differences(from: [outcome], module: "OutcomesTests") == [])
        #expect(Array(try await run.junit.statuses.keys) == [test.id.description])
        let again = try await Carrel.run("Outcomes", "--test", test.id.description)
        #expect(try again.state.tests.map(\.id) == [test.id])
      }
    }

    @Test func listIsTheSameInBothFormats() async throws {
      let package = try await FixturePackage.prepare("Outcomes")
      let text = try await Carrel.invoke(["list", package.path, "--skip-build"])
      let json = try await Carrel.invoke([
        "list", package.path, "--skip-build", "--format", "json",
      ])
      #expect(text.status == 0 && json.status == 0)
      let ids = text.text.split(separator: "\n").map(String.init)
      #expect(ids.count == Set(ids).count)
      let full = try JSONStrings(json.stdout).all.compactMap { TestID(parsing: $0) }
      #expect(Set(full).count == ids.count && full.count == ids.count)
      for id in ids {
        #expect(full.contains { $0.description == id || $0.printableName == id }, "\(id)")
      }
    }

    @Test func rerunRunsWhatFailed() async throws {
      let first = try await Carrel.run(
        "Outcomes", "--filter", "RawNameTests/|Raw suite|BasicXCTests")
      let failed = try first.state.tests.filter { $0.result.verdict == .failed }.map(\.id)
      #expect(failed.count == 9)
      let record = try first.record
      let output = try await Carrel.invoke([
        "rerun", record, first.package.path, "--skip-build", "--output",
        first.folder.path(of: "second"),
      ])
      #expect(output.status == 1, "\(output.text)\(output.errorText)")
      let second = RunState(
        try readEvents("\(recordFolder(in: first.folder.path(of: "second")))/events.jsonl"))
      #expect(Set(second.tests.map(\.id)) == Set(failed))
      let announced = output.text.split(separator: "\n").filter { $0.hasPrefix("running 9 of ") }
      #expect(announced.count == 2, "\(output.text)")
      let quiet = try await Carrel.invoke([
        "rerun", record, first.package.path, "--skip-build", "--quiet", "--output",
        first.folder.path(of: "third"),
      ])
      #expect(quiet.status == 1 && !quiet.text.contains("running "), "\(quiet.allText)")
    }

    @Test func rerunOfASuccessHasNothingToDo() async throws {
      let first = try await Carrel.run("Outcomes", "--filter", "BasicXCTests/testPasses")
      let output = try await Carrel.invoke([
        "rerun", try first.record, first.package.path, "--skip-build", "--output",
        first.folder.path(of: "second"),
      ])
      #expect(output.status == 0, "\(output.text)\(output.errorText)")
      #expect(output.text.contains("there is nothing to run again"), "\(output.text)")
    }

    /// Names with commas, dots and slashes from a hand-written list: each selects its own test.
    @Test(arguments: ["1", "auto"])
    func freeTextNames(batch: String) async throws {
      let run = try await Carrel.run("LinuxMain", "--batch", batch)
      #expect(run.output.status == 1, "\(run)")
      let tests = try run.state.tests
      #expect(tests.count == 13)
      #expect(try run.state.problems.map(\.code.rawValue) == ["duplicate-test"])
      for test in tests {
        // By bytes: two names differ in nothing else.
        let name = test.id.name.utf8.drop { $0 != UInt8(ascii: "/") }
        let shouldPass = ![
          "/a", "/x/y", "/twice", "/cafe\u{301}", "/again, twice", "/testFails",
        ].contains { $0.utf8.elementsEqual(name) }
        #expect(test.result.verdict == (shouldPass ? .passed : .failed), "\(test.id)\n\(run)")
      }
    }

    /// Alone, each is the only one that ran.
    @Test(arguments: ["a, b", "a", "right?", "x/y"])
    func freeTextNameAlone(name: String) async throws {
      let package = try await FixturePackage.prepare("LinuxMain")
      let listing = try await Carrel.invoke(["list", package.path, "--skip-build"])
      let id = try #require(
        listing.text.split(separator: "\n").first {
          $0.hasSuffix("/" + name) || (name == "right?" && $0.hasSuffix(name))
        })
      let run = try await Carrel.run("LinuxMain", "--test", String(id))
      let test = try #require(try run.state.tests.first)
      let shouldPass = name == "a, b" || name == "right?"
      #expect(try run.state.tests.count == 1)
      #expect(test.result.verdict == (shouldPass ? .passed : .failed), "\(run)")
      #expect(run.output.status == (shouldPass ? 0 : 1), "\(run)")
    }

    /// Subclasses without tests of their own do not run, and are named in a warning each.
    @Test func inheritedTests() async throws {
      let run = try await Carrel.run("Outcomes", "--filter", "Inherited")
      let state = try run.state
      #expect(state.tests.map(\.id.name) == ["OutcomesTests.InheritedBaseXCTests/testProduct"])
      #expect(state.tests.map(\.result.verdict) == [.passed])
      #expect(state.problems.map(\.severity) == [.warning, .warning])
      #expect(state.problems.map(\.code.rawValue) == ["inherited-tests", "inherited-tests"])
      for name in ["InheritedTwoXCTests", "InheritedThreeXCTests"] {
        #expect(state.problems.count { $0.message.contains(name) } == 1, "\(state.problems)")
        #expect(run.output.text.contains(name), "\(run)")
      }
    }
  }
}

/// All strings in a JSON text, at any depth.
struct JSONStrings: Decodable {
  var all: [String]

  init(_ bytes: [UInt8]) throws { self = try JSONDecoder().decode(Self.self, from: Data(bytes)) }

  init(from decoder: any Decoder) throws {
    if let keyed = try? decoder.container(keyedBy: AnyKey.self) {
      all = try keyed.allKeys.flatMap { try keyed.decode(JSONStrings.self, forKey: $0).all }
    } else if var list = try? decoder.unkeyedContainer() {
      all = []
      while !list.isAtEnd { all += try list.decode(JSONStrings.self).all }
    } else {
      all = (try? decoder.singleValueContainer().decode(String.self)).map { [$0] } ?? []
    }
  }

  private struct AnyKey: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }
}
