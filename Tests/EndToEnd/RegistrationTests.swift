import FoundationEssentials
import RunModel
import TestSupport
import Testing

extension EndToEnd {
  /// What a run says of the registration of apps before its first test, and keeps in bundles.
  @Suite(.serialized) struct RegistrationTests {
    private static let fixture = "Declarations"
    private static let environment = ["CARREL_PACKAGE": FixturePackage.repository]
    private static let app = "org.example.shop"

    private func entries(of run: CarrelRun) async throws -> TemporaryFolder {
      let folder = try TemporaryFolder()
      let bundle = try run.bundle(try run.test("reorders()"))
      let output = try await Carrel.invoke(
        ["bundle", "extract", bundle, folder.path(of: "bundle")])
      #expect(output.status == 0, "\(output.allText)")
      return folder
    }

    @Test func namesAreHeldAgainstTheApps() async throws {
      let run = try await Carrel.run(
        Self.fixture, "--seed", "s", environment: Self.environment)
      #expect(run.output.status == 1, "\(run)")
      let line = try FixturePackage.line(of: "mistyped", in: Self.fixture).line
      let message =
        "Tests/ShopTests/ShopTests.swift:\(line): \(Self.app) has not registered an intent "
        + "'ReorderIntnt'; did you mean 'ReorderIntent'?"
      let warnings = run.output.errorText.split(separator: "\n").filter { $0.contains("warning:") }
      #expect(warnings.contains { $0 == "carrel: warning: \(message)" }, "\(run)")
      let events = try run.events
      let problem = try #require(
        events.firstIndex { event in
          if case .problem(let problem) = event.kind { return problem.message == message }
          return false
        })
      let start = try #require(
        events.firstIndex { event in
          if case .attemptStarted = event.kind { return true }
          return false
        })
      #expect(problem < start)
      let problems = try run.state.problems.filter { $0.code == .nameNotRegistered }
      #expect(problems.map(\.severity) == [.warning])

      let bundle = try await entries(of: run)
      let registered = String(
        decoding: try readFile(bundle.path(of: "bundle/metadata/\(Self.app).json")), as: UTF8.self)
      #expect(registered.contains("\"bundle\":\"\(Self.app)\""))
      #expect(registered.contains("\"BuyIntent\""))
      let names = try FileManager.default.contentsOfDirectory(
        atPath: bundle.path(of: "bundle/metadata"))
      #expect(names == ["\(Self.app).json"])
    }

    @Test func metadataIsInBundles() async throws {
      let package = try await FixturePackage.prepare(Self.fixture)
      let extracted = try await Carrel.invoke(
        ["metadata", "extract", package.path, "--output", package.path + "/.build/none"],
        environment: Self.environment, timeout: 600)
      #expect(extracted.status == 0, "\(extracted.allText)")
      let run = try await Carrel.run(
        Self.fixture, "--metadata", "--seed", "s", environment: Self.environment)
      #expect(run.output.status == 1, "\(run)")
      let problems = try run.state.problems.filter { $0.code == .registrationDiffers }
      let line = try FixturePackage.line(of: "hoisted phrases", in: Self.fixture).line
      #expect(
        problems.contains {
          $0.severity == .warning
            && $0.message.hasPrefix(
              "Sources/Shop/Intents.swift:\(line): \(Self.app): the App Shortcut of intent "
                + "'NameIntent'")
        }, "\(problems)")
      let bundle = try await entries(of: run)
      let path = bundle.path(of: "bundle/metadata/\(Self.app).actionsdata")
      let page = try await Carrel.invoke(["metadata", "show", path])
      #expect(page.status == 0 && page.text.contains("BuyIntent"), "\(page.allText)")
      let list = try String(
        decoding: readFile(bundle.path(of: "bundle/contents.json")), as: UTF8.self
      ).split(separator: "\n").filter { $0.contains("\"path\":\"") }
      let names = [
        "container/tmp", "metadata/\(Self.app).actionsdata", "metadata/\(Self.app).json",
      ]
      let places = names.compactMap { name in
        list.firstIndex { $0.contains("\"path\":\"\(name)\"") }
      }
      #expect(places.count == names.count && places == places.sorted(), "\(list)")
    }
  }
}
