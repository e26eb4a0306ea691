import AppIntentsTesting
import Foundation
import Testing
import XCTest

/// Tests that leave secrets wherever a failure bundle may take them from, and fail.
final class SecretsXCTests: XCTestCase {
  private let lines = PlantedSecrets.all.map(\.line)
  private var variable: String { ProcessInfo.processInfo.environment["VAULT_TOKEN"] ?? "none" }

  func testLeavesSecrets() async throws {
    let app = IntentDefinitions(bundleIdentifier: "com.example.Vault")
    let answer: String = try await app.intents["Keep"].makeIntent(
      password: "open" + "-sesame", notes: lines + [variable]
    ).run().value
    print(answer)
    print((lines + PlantedSecrets.privateKey + [variable]).joined(separator: "\n"))
    FileHandle.standardError.write(
      Data(PlantedSecrets.all.map { "\u{1B}[31m\($0.line)\u{1B}[0m\n" }.joined().utf8))

    let home = URL(fileURLWithPath: NSHomeDirectory())
    let documents = home.appendingPathComponent("Documents")
    try FileManager.default.createDirectory(at: documents, withIntermediateDirectories: true)
    try Data(lines.joined(separator: "\r\n").utf8).write(
      to: documents.appendingPathComponent("notes.txt"))
    try JSONSerialization.data(withJSONObject: ["lines": lines, "other": [variable]]).write(
      to: documents.appendingPathComponent("notes.json"))
    try PropertyListSerialization.data(
      fromPropertyList: ["authToken": PlantedSecrets.all[0].text, "lines": lines], format: .xml,
      options: 0
    ).write(to: documents.appendingPathComponent("settings.plist"))
    try PropertyListSerialization.data(fromPropertyList: lines, format: .binary, options: 0).write(
      to: documents.appendingPathComponent("settings.bin"))
    var binary = Data()
    for line in lines { binary += Data([0, 1, 2]) + Data(line.utf8) + Data(count: 5000) }
    try binary.write(to: documents.appendingPathComponent("data.bin"))
    try PlantedSecrets.privateKey.joined(separator: "\n").write(
      toFile: NSTemporaryDirectory() + "/id_rsa", atomically: true, encoding: .utf8)

    for line in lines { XCTFail("expected nothing like \(line) here") }
    XCTAssertEqual(variable, "something else")
  }

  func testCrashes() {
    fatalError("the lines are \(lines.joined(separator: "\n")), the variable is \(variable)")
  }

  /// A process has secrets on its command line, and in its environment.
  func testHangs() throws {
    let shell = Process()
    shell.executableURL = URL(fileURLWithPath: "/bin/sh")
    shell.arguments = ["-c", "while :; do sleep 600; done", "sh"] + lines + [variable]
    try shell.run()
    print(lines.joined(separator: "\n"))
    fflush(nil)
    while true { sleep(3600) }
  }
}

@Suite struct SecretsTests {
  @Test(arguments: PlantedSecrets.all.map(\.line)) func caseNames(line: String) {
    Attachment.record(Array(line.utf8), named: "attached.txt")
    Issue.record("not \(line)")
  }
}
