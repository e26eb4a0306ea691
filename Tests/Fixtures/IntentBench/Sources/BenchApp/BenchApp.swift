import AppIntents
import CoreSpotlight
import IntentHost

@main struct BenchApp: HostedApp {
  static let bundleIdentifier = "com.example.Bench"

  init() {}
}

/// Answers with what it was asked.
struct Echo: AppIntent {
  static let title: LocalizedStringResource = "Echo"
  @Parameter(title: "Text") var text: String

  func perform() async throws -> some IntentResult & ReturnsValue<String> {
    .result(value: text)
  }
}

/// Tells the index of so many entities.
struct Fill: AppIntent {
  static let title: LocalizedStringResource = "Fill"
  @Parameter(title: "Count") var count: Int

  func perform() async throws -> some IntentResult {
    let things = (0..<count).map { Thing(id: $0, title: "Thing number \($0) of many things") }
    try await CSSearchableIndex.default().indexAppEntities(things)
    return .result()
  }
}

struct Thing: IndexedEntity {
  static let typeDisplayRepresentation: TypeDisplayRepresentation = "Thing"
  static let defaultQuery = ThingQuery()
  let id: Int
  @Property(title: "Title") var title: String

  var displayRepresentation: DisplayRepresentation { "\(title)" }

  init(id: Int, title: String) {
    self.id = id
    self.title = title
  }
}

struct ThingQuery: EntityQuery {
  func entities(for identifiers: [Int]) async throws -> [Thing] {
    identifiers.map { Thing(id: $0, title: "Thing number \($0) of many things") }
  }
}
