import AppIntents
import IntentHost
import Notes

/// The app: on Apple's systems this is where its scenes are, here a screen without pixels.
@main struct NotesApp: HostedApp {
  static let bundleIdentifier = "com.example.Notes"

  init() {
    let store = NoteStore()
    AppDependencyManager.shared.add(dependency: store)
    Screen.main.show { screen in
      let notebook = store.notebook
      screen.text(notebook.notes.count == 1 ? "1 note" : "\(notebook.notes.count) notes")
      for note in notebook.notes {
        screen.entity(NoteEntity(note), isSelected: note.id == store.openNote)
      }
    }
  }
}
