import Foundation

/// Notes in the order they were written, kept in one file of the user's documents.
public struct Notebook: Codable, Equatable, Sendable {
  /// Why a note was refused.
  public enum Refusal: Error, Equatable {
    case emptyTitle
  }

  public private(set) var notes: [Note] = []
  private var lastID = 0

  public init() {}

  /// Adds a note at the end.
  ///
  /// - Returns: The note with its identifier.
  @discardableResult
  public mutating func add(_ note: Note) throws(Refusal) -> Note {
    guard !note.title.isEmpty else { throw .emptyTitle }
    lastID += 1
    var note = note
    note.id = "note-\(lastID)"
    notes.append(note)
    return note
  }

  /// The note with an identifier; `nil` when there is none.
  public func note(_ id: String) -> Note? { notes.first { $0.id == id } }

  /// Gives a note another title.
  ///
  /// - Returns: The note as it is now; `nil` when there is none.
  public mutating func rename(_ id: String, to title: String) throws(Refusal) -> Note? {
    guard !title.isEmpty else { throw .emptyTitle }
    guard let index = notes.firstIndex(where: { $0.id == id }) else { return nil }
    notes[index].title = title
    return notes[index]
  }

  /// Removes the notes with these identifiers, as far as there are any.
  public mutating func remove(_ ids: Set<String>) {
    notes.removeAll { ids.contains($0.id) }
  }

  /// The notes that hold a word in title, text or tags; upper and lower case are the same.
  public func search(_ word: String) -> [Note] {
    let word = word.lowercased()
    return notes.filter { note in
      ([note.title, note.text] + note.tags).contains { $0.lowercased().contains(word) }
    }
  }

  /// The file in the user's documents that ``save()`` writes.
  public static var file: URL {
    let documents =
      FileManager.default.urls(for: .documentDirectory, in: .userDomainMask).first
      ?? FileManager.default.temporaryDirectory
    return documents.appendingPathComponent("notebook.json")
  }

  /// Writes all notes to ``file``.
  public func save() throws {
    try FileManager.default.createDirectory(
      at: Self.file.deletingLastPathComponent(), withIntermediateDirectories: true)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    try encoder.encode(self).write(to: Self.file, options: .atomic)
  }

  /// Reads what ``save()`` wrote; an empty notebook when there is no file.
  public static func load() throws -> Notebook {
    guard let data = FileManager.default.contents(atPath: file.path) else { return Notebook() }
    return try JSONDecoder().decode(Notebook.self, from: data)
  }
}
