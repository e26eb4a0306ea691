import AppIntents
import Foundation
import Notes

/// The app's notes, saved with each change.
final class NoteStore: @unchecked Sendable {
  private let lock = NSLock()
  private var notes: Notebook
  /// Identifiers of notes by the requests that made them.
  private var answered: [String: String] = [:]
  private var open: String?
  private var isSignedIn = true

  init() { notes = (try? Notebook.load()) ?? Notebook() }

  var notebook: Notebook { lock.withLock { notes } }

  /// The note that the screen shows.
  var openNote: String? {
    get { lock.withLock { open } }
    set { lock.withLock { open = newValue } }
  }

  func reset() throws {
    try lock.withLock {
      (answered, open, isSignedIn) = ([:], nil, true)
      try changeLocked { $0 = Notebook() }
    }
  }

  func signOut() { lock.withLock { isSignedIn = false } }

  /// Changes the notebook and saves it.
  ///
  /// - Throws: ``NotesError/signedOut``.
  func change<Result>(_ body: (inout Notebook) throws -> Result) throws -> Result {
    try lock.withLock { try changeLocked(body) }
  }

  /// Adds a note, once for each request.
  func add(_ note: Note, request: String?) throws -> Note {
    try lock.withLock {
      if let request, let known = answered[request], let note = notes.note(known) { return note }
      let added = try changeLocked { try $0.add(note) }
      if let request { answered[request] = added.id }
      return added
    }
  }

  private func changeLocked<Result>(_ body: (inout Notebook) throws -> Result) throws -> Result {
    guard isSignedIn else { throw NotesError.signedOut }
    let result = try body(&notes)
    try notes.save()
    return result
  }
}

enum NotesError: Error, CustomLocalizedStringResourceConvertible {
  case signedOut
  case noteIsGone(title: String)

  var localizedStringResource: LocalizedStringResource {
    switch self {
    case .signedOut: "Sign in to change your notes."
    case .noteIsGone(let title): "The note “\(title)” is not there any more."
    }
  }
}
