import AppIntentsTesting
import Foundation
import Testing

/// What goes wrong, and that the next call does not notice.
@Suite(.serialized) struct ErrorTests {
  let app = IntentDefinitions(bundleIdentifier: "com.example.TestApp")

  private func error(_ body: () async throws -> Void) async -> AppIntentError? {
    do {
      try await body()
      return nil
    } catch {
      return error as? AppIntentError
    }
  }

  private func expectThatTheAppAnswers() async throws {
    try await app.intents["Nested"].makeIntent().run()
  }

  @Test func thrownErrorsKeepTheirIdentity() async throws {
    let `throw` = app.intents["Throw"]
    var thrown = try #require(await error { try await `throw`.makeIntent(kind: "case").run() })
    #expect(thrown.kind == .thrownByApp && thrown.caseName == "signedOut")
    #expect(thrown.domain == "TestApp.StoreError" && thrown.code == 0)
    #expect(thrown.localizedDescription == "Ann is signed out")
    #expect("\(thrown)".contains("signedOut(user: \"Ann\")"))
    thrown = try #require(await error { try await `throw`.makeIntent(kind: "NSError").run() })
    #expect(thrown.domain == "TestDomain" && thrown.code == 17 && thrown.caseName == nil)
    #expect(thrown.localizedDescription == "Seventeen")
    thrown = try #require(await error { try await `throw`.makeIntent(kind: "struct").run() })
    #expect(thrown.originalDescription == "PlainError(number: 3)")
    thrown = try #require(await error { try await app.intents["ShowFirst"].makeIntent().run() })
    #expect(thrown.caseName == "empty" && thrown.localizedDescription == "There are no notes")
  }

  /// Its texts are cut, and the app goes on.
  @Test func longErrorsKeepTheirIdentity() async throws {
    let create = try await app.intents["CreateNote"].makeIntent(title: "stays").run()
    let note: AnyAppEntity = try create.value.as(AnyAppEntity.self)
    let `throw` = app.intents["Throw"]
    let thrown = try #require(await error { try await `throw`.makeIntent(kind: "long").run() })
    #expect(thrown.kind == .thrownByApp && thrown.domain == "TestDomain" && thrown.code == 18)
    #expect(thrown.message.hasPrefix("Long") && thrown.message.utf8.count <= 128 << 10)
    #expect(thrown.message.contains(" bytes left out here]"))
    let identifier = note.identifier.instanceIdentifier
    #expect(
      try await app.entities["NoteEntity"].entities(identifiers: [identifier]).count == 1)
  }

  @Test func datesThatAreNoTimes() async throws {
    for seconds in [Double.infinity, -.infinity, .nan] {
      let date = Date(timeIntervalSince1970: seconds)
      let echo = try await app.intents["Echo"].makeIntent(date: date).run()
      #expect(try echo.value[3] as String == "\(seconds)")
    }
  }

  @Test(arguments: [
    ("com.example.Nothing", "x", AppIntentError.Kind.unknownApp, "com.example.TestApp"),
    ("com.example.TestApp", "CreateNot", .unknownName, "did you mean 'CreateNote'?"),
    ("com.example.TestApp", "CreateNote", .needsValue, "What title?"),
    ("com.example.TestApp", "ShowNothing", .needsValue, "'target' of OpenNote"),
    ("com.example.TestApp", "NeedsMore", .missingDependency, "MissingService"),
  ])
  func callsThatCannotBe(
    bundle: String, intent: String, kind: AppIntentError.Kind, text: String
  ) async throws {
    let intent = IntentDefinitions(bundleIdentifier: bundle).intents[intent].makeIntent()
    let thrown = try #require(await error { try await intent.run() })
    #expect(thrown.kind == kind)
    #expect(thrown.message.contains(text), "\(thrown)")
    try await expectThatTheAppAnswers()
  }

  @Test func parametersThatDoNotFit() async throws {
    let create = app.intents["CreateNote"]
    var thrown = try #require(await error { try await create.makeIntent(titel: "x").run() })
    #expect(thrown.kind == .unknownName && thrown.parameter == "titel")
    #expect(thrown.message.contains("did you mean 'title'?"))
    thrown = try #require(
      await error { try await create.makeIntent(title: "x", color: "Signal Red").run() })
    #expect(thrown.kind == .wrongType && thrown.parameter == "color")
    #expect(thrown.message.contains("red, green"))
    thrown = try #require(await error { try await create.makeIntent(title: "x", due: 7).run() })
    #expect(thrown.kind == .wrongType && thrown.message.contains("an integer"))
    let nothing = String?.none as any IntentValueExpressing
    thrown = try #require(await error { try await create.makeIntent(title: nothing).run() })
    #expect(thrown.kind == .needsValue && thrown.parameter == "title", "\(thrown)")
    thrown = try #require(
      await error {
        try await app.intents["RenameNote"].makeIntent(note: "no such note", title: "x").run()
      })
    #expect(thrown.kind == .entityNotFound)
    thrown = try #require(await error { try await app.intents["Echo"].makeIntent(tag: "1").run() })
    #expect(thrown.kind == .unsupported)
  }

  @Test(arguments: [
    ("Crash", AppIntentError.Kind.appEnded, "SIG", "the app crashes on purpose"),
    ("Exit", .appEnded, "status 3", "the app ends on purpose"),
  ])
  func appThatEnds(
    intent: String, kind: AppIntentError.Kind, text: String, log: String
  ) async throws {
    let thrown = try #require(
      await error { try await app.intents[intent].makeIntent().run() })
    #expect(thrown.kind == kind && thrown.message.contains(text), "\(thrown)")
    #expect(thrown.log?.contains(log) == true, "\(thrown)")
    try await expectThatTheAppAnswers()
  }

  @Test func callsAtOnceAreAnswered() async throws {
    try await withThrowingTaskGroup(of: String.self) { group in
      for number in 0..<50 {
        group.addTask { [app] in
          let value: String = try await app.intents["Echo"].makeIntent(text: "\(number)").run()
            .value[5]
          return value
        }
      }
      var seen: Set<String> = []
      for try await value in group { seen.insert(value) }
      #expect(seen.count == 50)
    }
  }
}
