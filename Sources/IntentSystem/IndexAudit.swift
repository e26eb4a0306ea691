import IntentWire

/// Asks an app about the entries that its entities have in the index: which it does not find any
/// more, or which it would index otherwise now.
final class IndexAudit {
  /// Most identifiers that an app is asked for at once.
  private static let askedAtOnce = 500

  private let slot: AppSlot
  private let compares: Bool
  private let onEnd: (Result<WireJSON, WireError>) -> Void
  private let entries: [String: [String: IndexUpdate.Entry]]
  private var queries: [IntentValue.Query] = []
  private var found: [WireJSON] = []

  /// - Parameters:
  ///   - entries: All entries of the index.
  ///   - compares: Whether entries are compared with what the app would index; otherwise orphans
  ///     are looked for.
  ///   - onEnd: Is given `stale` or `orphans`.
  init(
    of entries: [IndexUpdate.Entry], slot: AppSlot, compares: Bool,
    onEnd: @escaping (Result<WireJSON, WireError>) -> Void
  ) {
    self.slot = slot
    self.compares = compares
    self.onEnd = onEnd
    let types = Set(
      slot.app.description.entities.filter { $0.isIndexed || !compares }.map(\.identifier))
    let groups = Dictionary(grouping: entries.filter { types.contains($0.type) }, by: \.type)
    self.entries = groups.mapValues { entries in
      Dictionary(entries.map { ($0.identifier, $0) }, uniquingKeysWith: { first, _ in first })
    }
    for (type, entries) in groups.sorted(by: { $0.key < $1.key }) {
      for part in identifierPages(entries.map(\.identifier), most: Self.askedAtOnce) {
        queries.append(.init(type: type, kind: .identifiers(part)))
      }
    }
    queries.reverse()
  }

  /// Asks the next question, or tells what was found.
  func goOn() {
    guard let query = queries.popLast(), case .identifiers(let asked) = query.kind else {
      return onEnd(.success([(compares ? "stale" : "orphans"): .array(found)]))
    }
    slot.enqueue(
      .init(
        method: compares ? "entity.index" : "entity.query",
        parameters: [
          "bundle": .string(slot.app.bundleIdentifier), "query": query.json,
        ]
      ) { [self] result in
        do throws(WireError) {
          let answer = try result.get()
          found +=
            compares ? try stale(query.type, answer) : orphans(query.type, asked, answer)
          goOn()
        } catch {
          onEnd(.failure(error))
        }
      })
  }

  private func orphans(_ type: String, _ asked: [String], _ answer: WireJSON) -> [WireJSON] {
    let known = Set((answer["entities"]?.array ?? []).compactMap { $0["entity"]?["id"]?.string })
    return asked.filter { !known.contains($0) }.map { ["type": .string(type), "id": .string($0)] }
  }

  private func stale(_ type: String, _ answer: WireJSON) throws(WireError) -> [WireJSON] {
    var stale: [WireJSON] = (answer["hidden"]?.array ?? []).map {
      ["type": .string(type), "id": $0, "differences": .array([])]
    }
    let current: [IndexUpdate.Entry]
    do throws(WireShapeError) {
      guard case .upsert(let entries) = try IndexUpdate(json: answer["entries"] ?? .null) else {
        throw WireShapeError("'entries' has no entries")
      }
      current = entries
    } catch {
      throw WireError(
        .appSpeaksOtherwise,
        "\(slot.app.bundleIdentifier) did not say what it would index: \(error)")
    }
    for entry in current {
      guard let indexed = entries[type]?[entry.identifier] else { continue }
      let differences = indexed.differences(from: entry)
      guard !differences.isEmpty else { continue }
      stale.append(
        [
          "type": .string(type), "id": .string(entry.identifier),
          "differences": .array(differences),
        ])
    }
    return stale
  }
}

extension IndexUpdate.Entry {
  /// The texts by field; an empty one is none.
  private var texts: [String: String] {
    var texts = Dictionary(
      fields.map { ($0.name, $0.text) }, uniquingKeysWith: { $0 + "\n" + $1 })
    texts["domain"] = domain
    return texts.filter { !$0.value.isEmpty }
  }

  fileprivate func differences(from current: IndexUpdate.Entry) -> [WireJSON] {
    let (indexed, now) = (texts, current.texts)
    return Set(indexed.keys).union(now.keys).sorted().filter { indexed[$0] != now[$0] }.map {
      name in
      [
        "field": .string(name), "indexed": indexed[name].map { .string($0) } ?? .null,
        "current": now[name].map { .string($0) } ?? .null,
      ]
    }
  }
}
