import AppIntentsTesting
import XCTest

/// Tests that are only run when somebody asks for one of them: they fail, or are charged with what
/// their app does.
final class MisbehavingTests: XCTestCase {
  let app = IntentDefinitions(bundleIdentifier: "com.example.TestApp")

  override func setUp() async throws {
    let asked = ProcessInfo.processInfo.environment["CARREL_TEST_CASE"]
    try XCTSkipUnless(asked.map { name.hasSuffix(".\($0)") } ?? false, "nobody asked for it")
  }

  func testFails() async throws {
    let note = try await app.intents["CreateNote"].makeIntent(title: "Milk").run()
    try await app.intents["Say"].makeIntent(text: "the app says this").run()
    XCTAssertEqual(try note.value.title, "Bread")
  }

  /// The app's process ends while it has nothing to answer; the next call has a new one.
  func testAppEndsBetweenCalls() async throws {
    let number: Int = try await app.intents["EndSoon"].makeIntent().run().value
    while kill(pid_t(number), 0) == 0 { await Task.yield() }
    let next: Int = try await app.intents["EndSoon"].makeIntent(never: true).run().value
    XCTAssertNotEqual(number, next)
  }

  func testFailsWithAnOpenDatabase() async throws {
    for number in 1...3 {
      let rows = try await app.intents["Remember"].makeIntent(text: "row \(number)").run()
      print("rows: \(try rows.value as Int)")
    }
    XCTFail("on purpose")
  }

  /// Does to files of the seed intent what can be done to files.
  func testFailsAfterChangesInItsHome() async throws {
    let home = NSHomeDirectory()
    let files = FileManager.default
    XCTAssertEqual(
      try files.contentsOfDirectory(atPath: home + "/gone").sorted(), ["f0", "f1", "f2"])
    XCTAssertFalse(files.fileExists(atPath: home + "/fifo"))
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: home + "/kept/f0"))
    file.seekToEndOfFile()
    file.write(Data(" and more".utf8))
    try file.close()
    try files.removeItem(atPath: home + "/kept/f1")
    try files.removeItem(atPath: home + "/gone")
    try files.removeItem(atPath: home + "/replaced")
    try files.createDirectory(atPath: home + "/replaced", withIntermediateDirectories: false)
    try Data("new".utf8).write(to: URL(fileURLWithPath: home + "/replaced/new"))
    try files.moveItem(atPath: home + "/moved", toPath: home + "/elsewhere")
    XCTAssertEqual(chmod(home + "/closed", 0o700), 0)
    try Data("new".utf8).write(to: URL(fileURLWithPath: home + "/closed/new"))
    XCTAssertEqual(chmod(home + "/closed", 0o500), 0)
    XCTAssertEqual(unlink(home + "/link"), 0)
    try files.createDirectory(atPath: home + "/link", withIntermediateDirectories: false)
    XCTAssertEqual(chmod(home + "/Documents/ä b/f0", 0o444), 0)
    XCTAssertEqual(truncate(home + "/Documents/ä b/f1", 1), 0)
    try Data("t".utf8).write(
      to: URL(fileURLWithPath: NSTemporaryDirectory()).appendingPathComponent("t"))
    XCTFail("on purpose")
  }

  func testAppLeavesAProcess() async throws {
    try await app.intents["LeaveProcess"].makeIntent().run()
  }

  func testHangs() async throws {
    let marker = ProcessInfo.processInfo.environment["CARREL_TEST_MARKER"]
    try await app.intents["Hang"].makeIntent(marker: marker).run()
  }

  /// The app is killed for its hang. Whatever else lives beside it goes on for much longer than the
  /// end of a process may take.
  func testGoesOnAfterAHang() async throws {
    do {
      try await app.intents["Hang"].makeIntent().run()
      XCTFail("it has answered")
    } catch let error as AppIntentError {
      XCTAssertEqual(error.kind, .appHangs)
    }
    let start = ContinuousClock.now
    var calls = 0
    while calls < 100_000, ContinuousClock.now - start < .seconds(2.5) {
      try await app.intents["Nested"].makeIntent().run()
      calls += 1
    }
    print("calls: \(calls)")
  }

  func testAsks() async throws {
    let note = try await app.intents["CreateNote"].makeIntent(title: "Milk").run().value
      .as(AnyAppEntity.self)
    try await app.intents["RenameNote"].makeIntent(note: note).run()
  }

  func testAsksTheIndexTooEarly() async throws {
    try await app.intents["CreateNote"].makeIntent(title: "Milk").run()
    let found = try await app.entities["NoteEntity"].spotlightQuery("milk")
    XCTAssertEqual(found.count, 1)
  }

  func testCrashes() async throws {
    try await app.intents["Crash"].makeIntent().run()
  }
}
