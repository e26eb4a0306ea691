import AppIntents
import CoreSpotlight
import Notes

struct CreateNote: AppIntent {
  static let title: LocalizedStringResource = "Create Note"
  static let description = IntentDescription("Writes a new note.", categoryName: "Notes")

  @Parameter(title: "Title", requestValueDialog: "What is the note called?")
  var title: String
  @Parameter(title: "Text", default: "")
  var text: String
  @Parameter(title: "Tags")
  var tags: [String]?
  @Parameter(
    title: "Request", description: "The same request makes one note, however often it is sent.")
  var request: String?
  @Dependency var store: NoteStore

  static var parameterSummary: some ParameterSummary {
    Summary("Create \(\.$title)") {
      \.$text
      \.$tags
    }
  }

  func perform() async throws -> some IntentResult & ReturnsValue<NoteEntity> & ProvidesDialog {
    let note = NoteEntity(
      try store.add(Note(title: title, text: text, tags: tags ?? []), request: request))
    try await CSSearchableIndex.default().indexAppEntities([note])
    return .result(value: note, dialog: "Created “\(title)”.")
  }
}

struct RenameNote: AppIntent {
  static let title: LocalizedStringResource = "Rename Note"
  @Parameter(title: "Note") var note: NoteEntity
  @Parameter(title: "Title") var title: String
  @Dependency var store: NoteStore

  func perform() async throws -> some IntentResult & ReturnsValue<NoteEntity> {
    guard let renamed = try store.change({ try $0.rename(note.id, to: title) }) else {
      throw NotesError.noteIsGone(title: note.title)
    }
    let entity = NoteEntity(renamed)
    try await CSSearchableIndex.default().indexAppEntities([entity])
    return .result(value: entity)
  }
}

struct DeleteNotes: DeleteIntent {
  static let title: LocalizedStringResource = "Delete Notes"
  @Parameter(title: "Notes") var entities: [NoteEntity]
  @Dependency var store: NoteStore

  func perform() async throws -> some IntentResult & ProvidesDialog {
    let ids = entities.map(\.id)
    try store.change { $0.remove(Set(ids)) }
    try await CSSearchableIndex.default().deleteAppEntities(
      identifiedBy: ids, ofType: NoteEntity.self)
    return .result(dialog: ids.count == 1 ? "Deleted 1 note." : "Deleted \(ids.count) notes.")
  }
}

struct OpenNote: OpenIntent {
  static let title: LocalizedStringResource = "Open Note"
  @Parameter(title: "Note") var target: NoteEntity
  @Dependency var store: NoteStore

  @MainActor func perform() async throws -> some IntentResult {
    store.openNote = target.id
    return .result()
  }
}

/// Asks for the text when it was not said.
struct CaptureText: AppIntent {
  static let title: LocalizedStringResource = "Capture Text"
  @Parameter(title: "Text") var text: String?
  @Dependency var store: NoteStore

  func perform() async throws -> some IntentResult & ReturnsValue<NoteEntity> {
    guard let text, !text.isEmpty else {
      throw $text.needsValueError("What should the note say?")
    }
    let note = NoteEntity(try store.add(Note(title: "Captured", text: text), request: nil))
    try await CSSearchableIndex.default().indexAppEntities([note])
    return .result(value: note)
  }
}

struct NoteShortcuts: AppShortcutsProvider {
  static var appShortcuts: [AppShortcut] {
    AppShortcut(
      intent: CreateNote(),
      phrases: ["Create a note in \(.applicationName)", "New \(.applicationName) note"],
      shortTitle: "Create Note", systemImageName: "note.text.badge.plus")
    AppShortcut(
      intent: OpenNote(),
      phrases: ["Open \(\.$target) in \(.applicationName)"],
      shortTitle: "Open Note", systemImageName: "note.text")
  }
}
