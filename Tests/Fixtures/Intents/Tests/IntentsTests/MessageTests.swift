import AppIntentsTesting
import Foundation
import Testing

// One after the other with the other tests of the suite: `swift test` gives all one app.
extension ErrorTests {
  /// What errors say: which call, with what, and what to do.
  @Suite struct MessageTests {
    let app = IntentDefinitions(bundleIdentifier: "com.example.TestApp")

    private func description(_ body: () async throws -> Void) async -> String {
      do {
        try await body()
        return "no error"
      } catch {
        return "\(error)"
      }
    }

    @Test func needsValueNamesIntentParameterAndPrompt() async throws {
      let note = try await app.intents["CreateNote"].makeIntent(title: "Milk").run().value
        .as(AnyAppEntity.self)
      let rename = app.intents["RenameNote"].makeIntent(note: note)
      do {
        try await rename.run()
        Issue.record("a note was renamed to nothing")
      } catch let error as AppIntentError {
        #expect(error.kind == .needsValue && error.parameter == "title")
        #expect(error.prompt == "Which title?" && error.call == "RenameNote of com.example.TestApp")
        #expect(error.callSite?.hasPrefix("IntentsTests/MessageTests.swift:") == true)
        #expect(
          "\(error)"
            == "RenameNote asked for a value of its parameter 'title' (\"Which title?\"), and nobody can "
            + "answer; give it one: makeIntent(title: ...) (called at \(error.callSite ?? ""))")
      }
      try await app.intents["DeleteNotes"].makeIntent(entities: [note]).run()
    }

    @Test(arguments: [
      (
        "NSError", "Throw of com.example.TestApp: TestDomain 17: Seventeen (called at IntentsTests/"
      ),
      (
        "case",
        "Throw of com.example.TestApp: signedOut(user: \"Ann\") (TestApp.StoreError 0): Ann is signed out "
      ),
      (
        "advice",
        "Throw of com.example.TestApp: Advised() (TestApp.Advised 1): No oven. Buy one. (called"
      ),
    ])
    func thrownErrorsNameTheirCall(kind: String, text: String) async {
      let thrown = await description { try await app.intents["Throw"].makeIntent(kind: kind).run() }
      #expect(thrown.hasPrefix(text), "\(thrown)")
    }

    @Test func questionsThatHaveNoAnswer() async {
      // Not written where it is used, or each run would tell of it.
      let mistyped = "NoteEntty"
      var text = await description { _ = try await app.entities[mistyped].viewAnnotations() }
      #expect(text.contains("has no entity 'NoteEntty'; did you mean 'NoteEntity'?"), "\(text)")
      text = await description { _ = try await app.entities["TagEntity"].spotlightQuery("x") }
      #expect(text.contains("TagEntity is no IndexedEntity"), "\(text)")
      text = await description { try await app.intents["NeedsMore"].makeIntent().run() }
      #expect(text.contains("MissingService with the key 'second' was not initialized"), "\(text)")
      let reference = app.entities["TagEntity"].makeReference(identifier: "four")
      text = await description { try await app.intents["Echo"].makeIntent(tag: reference).run() }
      #expect(text.contains("TagEntity with the identifier 'four', which is no Int"), "\(text)")
      text = await description {
        let result = try await app.intents["Nested"].makeIntent().run()
        _ = try result.value as AnyAppEntity
      }
      #expect(text.contains("the intent returned none, or the property is nil"), "\(text)")
    }

    @Test func numbersOutOfTheirRangeAreRefused() async throws {
      let ranges = app.intents["Ranges"]
      let usual: String = try await ranges.makeIntent().run().value
      #expect(usual == "2 0.0 0")
      let value: String = try await ranges.makeIntent(count: 10, weight: 0.5, level: 99).run().value
      #expect(value == "10 0.5 99")
      let none: String = try await ranges.makeIntent(
        weight: Double?.none as any IntentValueExpressing
      ).run().value
      #expect(none == "2 0.0 0")
      for intent in [ranges.makeIntent(count: 11), ranges.makeIntent(count: 0)] {
        do {
          try await intent.run()
          Issue.record("\(intent) was performed")
        } catch let error as AppIntentError {
          #expect(error.kind == .outOfRange && error.parameter == "count")
          #expect(error.message.hasSuffix("was given where 1 to 10 is expected"), "\(error)")
        }
      }
      let text = await description { try await ranges.makeIntent(weight: 2.01).run() }
      #expect(text.contains("parameter 'weight': 2.01 was given where 0.5 to 2.0 is expected"))
    }

    @Test func staleEntriesOfTheIndexAreFound() async throws {
      try await app.intents["ClearIndex"].makeIntent().run()
      let note = try await app.intents["CreateNote"].makeIntent(title: "Milk").run().value
        .as(AnyAppEntity.self)
      try await waitUntilIndexed()
      var stale = try await app.staleIndexEntries()
      #expect(stale == [])
      try await app.intents["RetitleNote"].makeIntent(note: note, title: "Bread").run()
      stale = try await app.staleIndexEntries()
      #expect(stale.map(\.identifier) == [note.identifier])
      let title = try #require(stale.first?.differences.first { $0.field == "title" })
      #expect(title.indexed == "Milk" && title.current == "Bread")
      #expect(
        stale.first?.description.contains("title is \"Milk\" and should be \"Bread\"") == true)
      try await app.intents["DeleteNotes"].makeIntent(entities: [note]).run()
    }
  }
}
