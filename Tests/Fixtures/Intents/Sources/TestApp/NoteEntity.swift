import AppIntents
import CoreSpotlight

struct NoteEntity: IndexedEntity {
  static var typeDisplayRepresentation: TypeDisplayRepresentation = "Note"
  static var defaultQuery = NoteQuery()

  let id: String
  @Property(title: "Title") var title: String
  @Property(title: "Color") var color: NoteColor
  @Property(title: "Tags") var tags: [String]
  @Property(title: "Due") var due: Date?
  /// Not exposed.
  var secret = "hidden"

  var displayRepresentation: DisplayRepresentation {
    DisplayRepresentation(
      title: "\(title)", subtitle: "\(color.localizedStringResource.defaultValue)")
  }

  init(id: String, title: String, color: NoteColor = .red, tags: [String] = [], due: Date? = nil) {
    self.id = id
    self.title = title
    self.color = color
    self.tags = tags
    self.due = due
  }
}

enum NoteColor: String, AppEnum {
  case red, green

  static var typeDisplayRepresentation: TypeDisplayRepresentation = "Color"
  static var caseDisplayRepresentations: [NoteColor: DisplayRepresentation] = [
    .red: "Signal Red", .green: .init(title: "Grass Green", image: .init(systemName: "leaf")),
  ]
}

struct NoteQuery: EntityStringQuery, EnumerableEntityQuery {
  @Dependency var store: Store

  func entities(for identifiers: [String]) async throws -> [NoteEntity] {
    identifiers.compactMap { store.notes[$0] }
  }

  func entities(matching string: String) async throws -> [NoteEntity] {
    store.sorted.filter { $0.title.localizedCaseInsensitiveContains(string) }
  }

  func suggestedEntities() async throws -> [NoteEntity] { Array(store.sorted.prefix(2)) }

  func allEntities() async throws -> [NoteEntity] { store.sorted }
}

/// Can be found by its identifier only.
struct TagEntity: AppEntity {
  static var typeDisplayRepresentation: TypeDisplayRepresentation = "Tag"
  static var defaultQuery = TagQuery()

  let id: Int
  var displayRepresentation: DisplayRepresentation { "#\(id)" }
}

struct TagQuery: EntityQuery {
  func entities(for identifiers: [Int]) async throws -> [TagEntity] {
    identifiers.filter { $0 < 10 }.map { TagEntity(id: $0) }
  }
}
