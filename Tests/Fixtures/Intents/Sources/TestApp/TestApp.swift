import AppIntents
import Foundation
import IntentHost

@main struct TestApp: HostedApp {
  static let bundleIdentifier = "com.example.TestApp"

  init() {
    switch ProcessInfo.processInfo.environment["CARREL_TEST_CASE"] {
    case "holdsDatabase": Database.hold()
    case "crashesAtItsStart": fatalError("the app crashes at its start")
    default: break
    }
    let store = Store()
    AppDependencyManager.shared.add(dependency: store)
    Screen.main.show { screen in
      screen.text("\(store.notes.count) notes")
      for note in store.sorted { screen.entity(note, isSelected: note.id == store.selected) }
    }
  }
}

/// The app's data, in memory: gone with the process.
final class Store: @unchecked Sendable {
  var notes: [String: NoteEntity] = [:]
  var selected: String?
  var next = 1

  var sorted: [NoteEntity] { notes.values.sorted { $0.id < $1.id } }
}
