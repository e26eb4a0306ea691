import Evidence
import Glibc
import RunModel
import SystemFiles
import TestSupport
import Testing

@testable import CarrelCLI

/// JSON as commands print it.
@Suite struct JSONOutputTests {
  /// Controls and marks of direction are escaped; what a person can see is not.
  @Test func nothingDrivesATerminal() throws {
    let folder = try TemporaryFolder()
    let path = folder.path(of: "out")
    let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    defer { close(descriptor) }
    var context = CommandContext()
    context.output = Terminal(descriptor: descriptor)
    let text = "é \u{202E}\u{9B}2J\u{1B}[0m"
    try context.printJSON(["message": text])
    let bytes = try readFile(path, maxBytes: 1 << 20)
    let printed = String(decoding: bytes, as: UTF8.self)
    #expect(
      printed.contains(#"é \u202e\u009b2J\u001b[0m"#) && printed.hasSuffix("}\n"), "\(printed)")
    #expect(
      !printed.unicodeScalars.contains { ["\u{202E}", "\u{9B}", "\u{1B}"].contains($0) })
  }

  /// What a pattern leaves may be no attempt any more; that is not taken for the same.
  @Test func anAttemptThatCannotBeReadAgainIsAnError() throws {
    var options = RedactionOptions()
    options.patterns = [.init(id: "mine", text: #""verdict":"[a-z]+"#)]
    let test = TestID(product: "P", library: .xctest, name: "M.C/t")
    let attempt = AttemptResult(
      test: test, attempt: 1, batch: 1, worker: 1, verdict: .failed,
      issues: [TestIssue(message: "password=hunter2 is wrong")], startedAt: 1, duration: 1)
    let search = try SecretSearch(options, environment: [:])
    #expect(throws: (any Error).self) { try RedactedReproduction.redacted(attempt, search) }
    let plain = try SecretSearch(RedactionOptions(), environment: [:])
    let redacted = try RedactedReproduction.redacted(attempt, plain)
    #expect(redacted.issues.map(\.message) == ["password=[redacted] is wrong"])
  }
}
