import AppIntents
import CoreSpotlight
import Foundation
import IntentHost

/// An app with a fault in each of its intents but one.
@main struct Shelf: HostedApp {
  static let bundleIdentifier = "com.example.Shelf"

  init() {
    AppDependencyManager.shared.add(dependency: Store())
  }
}

/// The app's data, in memory: gone with the process.
final class Store: @unchecked Sendable {
  var books: [String: BookEntity] = [:]
}

struct BookEntity: IndexedEntity {
  static var typeDisplayRepresentation: TypeDisplayRepresentation = "Book"
  static var defaultQuery = BookQuery()

  let id: String
  @Property(title: "Title") var title: String
  var displayRepresentation: DisplayRepresentation { "\(title)" }

  init(id: String, title: String) {
    self.id = id
    self.title = title
  }
}

struct BookQuery: EntityQuery {
  @Dependency var store: Store

  func entities(for identifiers: [String]) async throws -> [BookEntity] {
    identifiers.compactMap { store.books[$0] }
  }
}

/// This one works.
struct AddBook: AppIntent {
  static let title: LocalizedStringResource = "Add Book"
  @Parameter(title: "Title") var title: String
  @Dependency var store: Store

  func perform() async throws -> some IntentResult & ReturnsValue<BookEntity> {
    let book = BookEntity(id: "\(store.books.count + 1)", title: title)
    store.books[book.id] = book
    try await CSSearchableIndex.default().indexAppEntities([book])
    return .result(value: book)
  }
}

/// Forgets to tell the index.
struct RenameBook: AppIntent {
  static let title: LocalizedStringResource = "Rename Book"
  @Parameter(title: "Book") var book: BookEntity
  @Parameter(title: "Title") var title: String
  @Dependency var store: Store

  func perform() async throws -> some IntentResult {
    store.books[book.id] = BookEntity(id: book.id, title: title)
    return .result()
  }
}

/// Ends the app's process when there are no books.
struct CountPages: AppIntent {
  static let title: LocalizedStringResource = "Count Pages"
  @Dependency var store: Store

  func perform() async throws -> some IntentResult & ReturnsValue<Int> {
    guard let first = store.books.values.first else { fatalError("there are no books") }
    return .result(value: first.title.count)
  }
}

/// Waits for something that never happens.
struct Synchronize: AppIntent {
  static let title: LocalizedStringResource = "Synchronize"

  func perform() async throws -> some IntentResult {
    await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
    return .result()
  }
}

enum ShelfError: Error {
  case isLent(to: String)
}

struct LendBook: AppIntent {
  static let title: LocalizedStringResource = "Lend Book"
  @Parameter(title: "Book") var book: BookEntity
  @Dependency var store: Store

  func perform() async throws -> some IntentResult {
    if store.books[book.id] != nil { throw ShelfError.isLent(to: "Ann") }
    return .result()
  }
}

/// Draws a number of pages; the same one for the same fixture token.
struct DrawPages: AppIntent {
  static let title: LocalizedStringResource = "Draw Pages"

  func perform() async throws -> some IntentResult & ReturnsValue<Int> {
    var state: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in (FixtureToken.current ?? "").utf8 {
      state = (state ^ UInt64(byte)) &* 0x100_0000_01b3
    }
    return .result(value: Int((state >> 33) % 1_000_000))
  }
}
