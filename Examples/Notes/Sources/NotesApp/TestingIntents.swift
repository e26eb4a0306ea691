#if DEBUG
  import AppIntents
  import CoreSpotlight
  import IntentHost
  import Notes

  /// Fills the notebook for tests; people never see it. Titles and texts are the same for the same
  /// fixture token.
  struct SeedNotes: AppIntent {
    static let title: LocalizedStringResource = "Seed Notes"
    static let isDiscoverable = false
    @Parameter(title: "Count", default: 3) var count: Int
    @Dependency var store: NoteStore

    func perform() async throws -> some IntentResult & ReturnsValue<Int> {
      let token = FixtureToken.current ?? "none"
      var entities: [NoteEntity] = []
      for number in 1...max(1, count) {
        let note = Note(title: "Seed \(number)", text: "made for \(token)", tags: ["seed"])
        entities.append(NoteEntity(try store.add(note, request: nil)))
      }
      try await CSSearchableIndex.default().indexAppEntities(entities)
      return .result(value: entities.count)
    }
  }

  /// Makes the app as it is when it was just installed.
  struct ResetNotes: AppIntent {
    static let title: LocalizedStringResource = "Reset Notes"
    static let isDiscoverable = false
    @Dependency var store: NoteStore

    func perform() async throws -> some IntentResult {
      try store.reset()
      try await CSSearchableIndex.default().deleteAllSearchableItems()
      return .result()
    }
  }

  /// What happens when a session ends in the background.
  struct SignOut: AppIntent {
    static let title: LocalizedStringResource = "Sign Out"
    static let isDiscoverable = false
    @Dependency var store: NoteStore

    func perform() async throws -> some IntentResult {
      store.signOut()
      return .result()
    }
  }
#endif
