import AppIntents
import CoreSpotlight
import Notes

struct NoteEntity: IndexedEntity {
  static let typeDisplayRepresentation: TypeDisplayRepresentation = "Note"
  static let defaultQuery = NoteQuery()

  let id: String
  @Property(title: "Title") var title: String
  @Property(title: "Text") var text: String
  @Property(title: "Tags") var tags: [String]

  var displayRepresentation: DisplayRepresentation {
    DisplayRepresentation(title: "\(title)", subtitle: "\(text)")
  }

  init(_ note: Note) {
    id = note.id
    title = note.title
    text = note.text
    tags = note.tags
  }
}

struct NoteQuery: EntityStringQuery, EnumerableEntityQuery {
  @Dependency var store: NoteStore

  func entities(for identifiers: [String]) async throws -> [NoteEntity] {
    identifiers.compactMap { store.notebook.note($0) }.map { NoteEntity($0) }
  }

  func entities(matching string: String) async throws -> [NoteEntity] {
    store.notebook.search(string).map { NoteEntity($0) }
  }

  /// The newest first.
  func suggestedEntities() async throws -> [NoteEntity] {
    store.notebook.notes.suffix(3).reversed().map { NoteEntity($0) }
  }

  func allEntities() async throws -> [NoteEntity] {
    store.notebook.notes.map { NoteEntity($0) }
  }
}
