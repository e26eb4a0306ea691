import IntentWire

/// An entry of the index, as an app has told it.
public struct IndexEntry: Hashable, Sendable {
  /// The name of the entity's type; empty for an item that is no entity.
  public let type: String
  public let identifier: String
  public let domain: String?
  /// Texts by the name of their field, for example `title`.
  public let fields: [String: String]
}

/// Everything that can be found in the index of this test now, by type and identifier.
///
/// - Throws: ``AppIntentError``; of the kind `appSpeaksOtherwise` when an entry cannot be read.
public func indexEntries(
  fileID: String = #fileID, line: Int = #line
) async throws -> [IndexEntry] {
  let site = CallSite(fileID: fileID, line: line)
  let answer = try await IntentSystemClient.call("index.dump", .object([]), site: site)
  do throws(WireShapeError) {
    return try indexEntries(in: answer)
  } catch {
    throw AppIntentError(
      WireError(.appSpeaksOtherwise, "the index did not say what is in it: \(error)"), site: site)
  }
}

/// The entries that an answer to `index.dump` tells.
func indexEntries(in answer: WireJSON) throws(WireShapeError) -> [IndexEntry] {
  guard let texts = answer.array else { throw WireShapeError("the entries are no array") }
  var result: [IndexEntry] = []
  for json in texts {
    guard case .upsert(let entries) = try IndexUpdate(json: json), let entry = entries.first,
      entries.count == 1
    else { throw WireShapeError("an entry is none") }
    result.append(
      IndexEntry(
        type: entry.type, identifier: entry.identifier, domain: entry.domain,
        fields: Dictionary(
          entry.fields.map { ($0.name, $0.text) }, uniquingKeysWith: { $0 + "\n" + $1 })))
  }
  return result
}

/// An entry of the index that is not what its entity would be indexed as now.
public struct StaleIndexEntry: Hashable, Sendable, CustomStringConvertible {
  /// A field whose texts differ.
  public struct Difference: Hashable, Sendable {
    /// The name of the field, `title` for example; `domain` for the domain of the entry.
    public let field: String
    /// What the index has; `nil` when it has no such field.
    public let indexed: String?
    /// What the entity says now; `nil` when it says nothing.
    public let current: String?
  }

  public let identifier: AttributedEntityIdentifier
  /// By the names of the fields; empty when the entity is to be hidden from the index now.
  public let differences: [Difference]

  public var description: String {
    guard !differences.isEmpty else { return "\(identifier) is to be hidden" }
    let texts = differences.map {
      "\($0.field) is \(Self.quoted($0.indexed)) and should be \(Self.quoted($0.current))"
    }
    return "\(identifier): " + texts.joined(separator: ", ")
  }

  private static func quoted(_ text: String?) -> String { text.map { "\"\($0)\"" } ?? "nothing" }
}

extension IntentDefinitions {
  /// Entries of the index whose entity the app's query does not find any more: an app that deletes
  /// something has to delete it from the index, too.
  ///
  /// Updates that cannot be found yet do not count; ``waitUntilIndexed(fileID:line:)`` waits for
  /// them.
  public func orphanedIndexEntries(
    fileID: String = #fileID, line: Int = #line
  ) async throws -> [AttributedEntityIdentifier] {
    let answer = try await check(fileID, line, compares: false)
    return (answer["orphans"]?.array ?? []).map { identifier($0) }
  }

  /// Entries of the index that differ from what their entity would be indexed as now: an app that
  /// changes something has to index it anew.
  ///
  /// Compared are the texts of all fields and the domain. Entries whose entity is gone are
  /// ``orphanedIndexEntries(fileID:line:)``; items that are no entities cannot be compared.
  public func staleIndexEntries(
    fileID: String = #fileID, line: Int = #line
  ) async throws -> [StaleIndexEntry] {
    let answer = try await check(fileID, line, compares: true)
    return (answer["stale"]?.array ?? []).map { entry in
      StaleIndexEntry(
        identifier: identifier(entry),
        differences: (entry["differences"]?.array ?? []).map {
          .init(
            field: $0["field"]?.string ?? "", indexed: $0["indexed"]?.string,
            current: $0["current"]?.string)
        })
    }
  }

  /// The texts on the app's screen.
  public func screenTexts(
    fileID: String = #fileID, line: Int = #line
  ) async throws -> [String] {
    let answer = try await IntentSystemClient.call(
      "screen.read", ["bundle": .string(bundleIdentifier)],
      name: "the screen of \(bundleIdentifier)", site: CallSite(fileID: fileID, line: line))
    return (answer["texts"]?.array ?? []).compactMap(\.string)
  }

  private func check(_ fileID: String, _ line: Int, compares: Bool) async throws -> WireJSON {
    try await IntentSystemClient.call(
      "index.check", ["bundle": .string(bundleIdentifier), "compares": .bool(compares)],
      name: "the index of \(bundleIdentifier)", site: CallSite(fileID: fileID, line: line))
  }

  private func identifier(_ json: WireJSON) -> AttributedEntityIdentifier {
    AttributedEntityIdentifier(
      entityType: json["type"]?.string ?? "", instanceIdentifier: json["id"]?.string ?? "")
  }
}
