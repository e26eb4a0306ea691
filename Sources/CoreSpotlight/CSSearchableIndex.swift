package import IntentWire
import Synchronization

/// Takes what an app tells the index.
package protocol IndexSink: Sendable {
  /// Returns when the update was taken; it can be found some time later.
  func update(_ update: IndexUpdate) async throws
}

/// The index of an app, as far as apps write it.
///
/// In an app that the intent system has started, updates go there; elsewhere, for example in the
/// unit tests of an app's module, nobody takes them and they are forgotten.
public final class CSSearchableIndex: Sendable {
  private static let standard = CSSearchableIndex(name: "default")
  private static let sink = Mutex<(any IndexSink)?>(nil)

  /// The index that all of the app uses.
  public static func `default`() -> CSSearchableIndex { standard }

  /// Whether there is an index; always true.
  public static func isIndexingAvailable() -> Bool { true }

  public let name: String

  public init(name: String) { self.name = name }

  /// Says who takes the updates of this process.
  package static func setSink(_ sink: (any IndexSink)?) { self.sink.withLock { $0 = sink } }

  package func update(_ update: IndexUpdate) async throws {
    try await Self.sink.withLock { $0 }?.update(update)
  }

  /// Adds items, in place of earlier ones with the same identifiers.
  public func indexSearchableItems(_ items: [CSSearchableItem]) async throws {
    try await update(
      .upsert(
        items.map {
          IndexUpdate.Entry(
            type: "", identifier: $0.uniqueIdentifier, domain: $0.domainIdentifier,
            fields: $0.attributeSet.fields)
        }))
  }

  public func deleteSearchableItems(withIdentifiers identifiers: [String]) async throws {
    try await update(.delete(type: "", identifiers: identifiers))
  }

  /// Deletes the items of domains and of those below them.
  public func deleteSearchableItems(withDomainIdentifiers domains: [String]) async throws {
    try await update(.deleteDomains(domains))
  }

  public func deleteAllSearchableItems() async throws { try await update(.deleteAll) }
}
