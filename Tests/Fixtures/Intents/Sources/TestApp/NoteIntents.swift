import AppIntents
import CoreSpotlight

struct CreateNote: AppIntent {
  static var title: LocalizedStringResource = "Create Note"
  static var description = IntentDescription("Creates a note.", categoryName: "Notes")

  @Parameter(title: "Title", description: "What it is called", requestValueDialog: "What title?")
  var title: String
  @Parameter(title: "Color", default: .red) var color: NoteColor
  @Parameter(title: "Tags") var tags: [String]?
  @Parameter(title: "Due") var due: Date?
  @Dependency var store: Store

  static var parameterSummary: some ParameterSummary {
    Summary("Create \(\.$title) in \(\.$color)") {
      \.$tags
      \.$due
    }
  }

  func perform() async throws -> some IntentResult & ReturnsValue<NoteEntity> & ProvidesDialog {
    let note = NoteEntity(
      id: "\(store.next)", title: title, color: color, tags: tags ?? [], due: due)
    store.next += 1
    store.notes[note.id] = note
    try await CSSearchableIndex.default().indexAppEntities([note])
    return .result(value: note, dialog: "Created \(title)")
  }
}

struct RenameNote: AppIntent {
  static var title: LocalizedStringResource = "Rename Note"
  @Parameter(title: "Note") var note: NoteEntity
  @Parameter(title: "Title") var title: String?
  @Dependency var store: Store

  func perform() async throws -> some IntentResult & ReturnsValue<NoteEntity> {
    guard let title, !title.isEmpty else { throw $title.needsValueError("Which title?") }
    let renamed = NoteEntity(id: note.id, title: title, color: note.color, tags: note.tags)
    store.notes[note.id] = renamed
    try await CSSearchableIndex.default().indexAppEntities([renamed])
    return .result(value: renamed)
  }
}

struct DeleteNotes: DeleteIntent {
  static var title: LocalizedStringResource = "Delete Notes"
  @Parameter(title: "Notes") var entities: [NoteEntity]
  @Dependency var store: Store

  func perform() async throws -> some IntentResult & ReturnsValue<Int> {
    for note in entities { store.notes[note.id] = nil }
    try await CSSearchableIndex.default().deleteAppEntities(
      identifiedBy: entities.map(\.id), ofType: NoteEntity.self)
    return .result(value: entities.count)
  }
}

struct OpenNote: OpenIntent {
  static var title: LocalizedStringResource = "Open Note"
  @Parameter(title: "Note") var target: NoteEntity
  @Dependency var store: Store

  init() {}
  init(target: NoteEntity) { self.target = target }

  @MainActor func perform() async throws -> some IntentResult {
    store.selected = target.id
    return .result()
  }
}

struct ShowFirst: AppIntent {
  static var title: LocalizedStringResource = "Show First Note"
  @Dependency var store: Store

  func perform() async throws -> some IntentResult & OpensIntent {
    guard let first = store.sorted.first else { throw StoreError.empty }
    return .result(opensIntent: OpenNote(target: first))
  }
}

/// Forgets what the intent that it opens needs.
struct ShowNothing: AppIntent {
  static var title: LocalizedStringResource = "Show Nothing"

  func perform() async throws -> some IntentResult & OpensIntent {
    .result(opensIntent: OpenNote())
  }
}

enum StoreError: Error, CustomLocalizedStringResourceConvertible {
  case empty
  case signedOut(user: String)

  var localizedStringResource: LocalizedStringResource {
    switch self {
    case .empty: "There are no notes"
    case .signedOut(let user): "\(user) is signed out"
    }
  }
}

/// Values of every kind, there and back.
struct Echo: AppIntent {
  static var title: LocalizedStringResource = "Echo"
  static var isDiscoverable: Bool = false
  @Parameter(title: "Int") var int: Int?
  @Parameter(title: "Double") var double: Double?
  @Parameter(title: "Bool") var bool: Bool?
  @Parameter(title: "Date") var date: Date?
  @Parameter(title: "URL") var url: URL?
  @Parameter(title: "Text", default: "by default") var text: String?
  @Parameter(title: "Colors") var colors: [NoteColor]?
  @Parameter(title: "Tag") var tag: TagEntity?

  func perform() async throws -> some IntentResult & ReturnsValue<[String]> {
    let values: [String?] = [
      int.map { "\($0)" }, double.map { "\($0)" }, bool.map { "\($0)" },
      date.map { "\($0.timeIntervalSince1970)" }, url?.absoluteString, text,
      colors.map { $0.map(\.rawValue).joined(separator: "+") }, tag.map { "#\($0.id)" },
    ]
    return .result(value: values.map { $0 ?? "nil" })
  }
}

private struct HiddenIntent: AppIntent {
  static let title: LocalizedStringResource = "Private and never referred to"

  func perform() async throws -> some IntentResult & ReturnsValue<Int> { .result(value: 42) }
}

enum Group {
  struct Nested: AppIntent {
    static let title: LocalizedStringResource = "Nested"

    func perform() async throws -> some IntentResult { .result() }
  }
}

/// Numbers within ranges.
struct Ranges: AppIntent {
  static let title: LocalizedStringResource = "Ranges"
  @Parameter(title: "Count", default: 2, controlStyle: .stepper, inclusiveRange: (1, 10))
  var count: Int
  @Parameter(title: "Weight", inclusiveRange: (0.5, 2)) var weight: Double?
  @Parameter(title: "Level", controlStyle: .slider) var level: Int?

  func perform() async throws -> some IntentResult & ReturnsValue<String> {
    .result(value: "\(count) \(weight ?? 0) \(level ?? 0)")
  }
}
