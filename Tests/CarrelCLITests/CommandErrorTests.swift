import Evidence
import Orchestration
import RunEngine
import RunModel
import SwiftTests
import Testing
import Workers

@testable import CarrelCLI

@Suite struct CommandErrorTests {
  @Test func statusesAreThoseOfTheDocuments() {
    let words = Dictionary(uniqueKeysWithValues: ExitCode.allCases.map { ($0.code, $0.rawValue) })
    #expect(
      words == [
        "success": 0, "tests-failed": 1, "usage": 2, "build-failed": 3, "nothing-matched": 4,
        "listing-failed": 5, "environment": 6, "not-written": 7, "bad-bundle": 8,
        "not-reproduced": 10, "failed-differently": 11, "cannot-reproduce": 12,
        "interrupted-by-hang-up": 129, "interrupted-by-interrupt": 130, "interrupted-by-quit": 131,
        "interrupted-by-terminate": 143,
      ])
    #expect(Set(ExitCode.allCases.map(\.meaning)).count == ExitCode.allCases.count)
  }

  /// 128 and the number of the signal, as shells have it.
  @Test(arguments: [1, 2, 3, 15] as [Int32]) func signalsHaveTheirStatus(signal: Int32) {
    #expect(ExitCode(signal: signalName(signal)).rawValue == 128 + signal)
  }

  @Test(arguments: [
    (SwiftTestsError.Code.noToolchain, ExitCode.environment), (.noPackage, .usage),
    (.buildFailed, .buildFailed), (.noProducts, .nothingMatched),
    (.listingFailed, .listingFailed), (.observerFailed, .environment),
    (.loaderFailed, .listingFailed), (.toolchainNotInstalled, .environment),
    (.invalidToolchainRequest, .usage), (.staleProducts, .environment),
  ]) func errorsOfTheTestsBuild(code: SwiftTestsError.Code, status: ExitCode) {
    let error = CommandError(SwiftTestsError(code, "no luck", output: "details"))
    #expect(error.exitCode == status && error.code == code.rawValue)
    // The build's output was shown while it ran, the observer's was not.
    let more = [
      SwiftTestsError.Code.observerFailed: "\ndetails", .noProducts: " (leave out --skip-build)",
      .noPackage: "; give the path of a Swift package, or change into its folder",
    ]
    #expect(error.message == "no luck" + (more[code] ?? ""))
    #expect(error.output == "details")
    let missing = CommandError(
      SwiftTestsError(.noPackage, "no x", context: ["missing": "folder"]))
    #expect(missing.message.hasPrefix("no x; the argument is the path of a package"))
  }

  @Test func differencesFromTheManifestSayHowToGoOn() {
    func message(_ policy: ToolchainPolicy) -> String {
      CommandError(
        SwiftTestsError(.toolchainDiffers, "no", context: ["policy": policy.rawValue])
      ).message
    }
    #expect(message(.exact).hasPrefix("no; --toolchain-policy compatible "))
    #expect(message(.compatible).hasPrefix("no; --toolchain-policy off "))
  }

  @Test(arguments: EvidenceError.Code.allCases) func errorsOfTheEvidence(code: EvidenceError.Code) {
    let statuses: [EvidenceError.Code: ExitCode] = [
      .notFound: .usage, .ambiguous: .usage, .unreadable: .badBundle, .unwritable: .notWritten,
      .notABundle: .badBundle, .notAnArchive: .badBundle, .otherVersion: .badBundle,
      .newerFormat: .badBundle, .malformed: .badBundle,
      .cutOff: .badBundle, .limit: .badBundle, .targetNotEmpty: .notWritten,
      .invalidContents: .notWritten, .stopped: .notWritten, .invalidManifest: .usage,
      .invalidPattern: .usage, .outOfMemory: .environment, .notPackable: .notWritten,
    ]
    let error = CommandError(
      EvidenceError(code, "cannot do it", cause: UsageError(message: "because")))
    #expect(error.exitCode == statuses[code] && error.code == code.rawValue)
    #expect(error.message.hasPrefix("cannot do it: ") && error.message.contains("because"))
    #expect(error.output == nil)
  }

  @Test func patternsThatCannotBeSearchedForAreMistakesOfTheCaller() throws {
    var options = RedactionOptions()
    options.patterns = [.init(id: "mine", text: "abc(")]
    let error = #expect(throws: EvidenceError.self) { try options.choice(environment: [:]) }
    let mapped = CommandError(try #require(error))
    #expect(mapped.exitCode == .usage && mapped.code == "invalid-pattern")
    #expect(mapped.message == "the pattern 'mine' is not possible: a ')' is missing")
  }

  @Test(arguments: [
    (OrchestrationError.Code.invalidPattern, ExitCode.usage, "--filter "),
    (.invalidSkipPattern, .usage, "--skip "), (.unknownTest, .nothingMatched, ""),
    (.ambiguousTest, .usage, ""),
  ]) func errorsOfASelection(code: OrchestrationError.Code, status: ExitCode, option: String) {
    let error = CommandError(OrchestrationError(code, "what is x?"))
    #expect(error.exitCode == status && error.message == option + "what is x?")
    #expect(error.code == code.rawValue)
  }

  @Test(arguments: [
    (RunEngineError.Code.executableChanged, ExitCode.environment, ""),
    (.noProduct, .environment, ""),
    (.nothingSelected, .nothingMatched, "; 'carrel list' shows them"),
  ]) func errorsOfTheEngine(code: RunEngineError.Code, status: ExitCode, advice: String) {
    let error = CommandError(RunEngineError(code, "nothing", context: ["listed": "2"]))
    #expect(error.exitCode == status && error.message == "nothing" + advice)
    #expect(error.code == code.rawValue)
  }

  @Test func aPackageWithoutTestsIsToldWhatAllowsIt() {
    let error = CommandError(
      RunEngineError.nothingSelected(
        TestSelection(tests: [], listed: 0, skipped: 0, unmatched: []), listed: 0))
    #expect(error.exitCode == .nothingMatched && error.code == "nothing-selected")
    #expect(error.message.hasSuffix("; 'carrel run --allow-empty' calls that a success"))
  }

  @Test(arguments: WorkersError.Code.allCases)
  func errorsOfTheSystem(code: WorkersError.Code) {
    let error = CommandError(WorkersError(code, "cannot make x", errorNumber: 28))
    #expect(error.exitCode == .environment && error.code == code.rawValue)
    #expect(error.message == "cannot make x: No space left on device")
  }

  @Test func everythingElse() {
    struct Strange: Error {}
    #expect(CommandError(Strange()).exitCode == .environment)
    #expect(CommandError(Strange()).code == "environment")
    #expect(CommandError(Strange()).message.contains("Strange"))
    let usage = CommandError(UsageError(message: "what?"))
    #expect(usage.exitCode == .usage && usage.message == "what?")
    let own = CommandError(CommandError(.badBundle, "x", output: "y") as any Error)
    #expect(own.exitCode == .badBundle && own.message == "x" && own.output == "y")
  }
}
