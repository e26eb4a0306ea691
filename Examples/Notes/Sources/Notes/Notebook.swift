import Foundation

/// Notes in the order they were written, kept in one file of the user's documents.
public struct Notebook: Sendable {
  /// Why a note was refused.
  public enum Refusal: Error, Equatable {
    case emptyTitle
    case titleInUse(String)
  }

  public private(set) var notes: [Note] = []

  public init() {}

  /// Adds a note at the end.
  public mutating func add(_ note: Note) throws(Refusal) {
    guard !note.title.isEmpty else { throw .emptyTitle }
    guard !notes.contains(where: { $0.title == note.title }) else {
      throw .titleInUse(note.title)
    }
    notes.append(note)
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
    try encoder.encode(notes).write(to: Self.file)
  }

  /// Reads what ``save()`` wrote; an empty notebook when there is no file.
  public static func load() throws -> Notebook {
    var notebook = Notebook()
    guard let data = FileManager.default.contents(atPath: file.path) else { return notebook }
    notebook.notes = try JSONDecoder().decode([Note].self, from: data)
    return notebook
  }
}
