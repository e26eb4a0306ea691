package import IntentWire
import SearchIndex
import Workers

extension IntentSystem {
  /// Answers a call of a test.
  func answerTest(_ peer: Peer, _ id: Int, _ method: String, _ parameters: WireJSON) {
    let answer = { (result: Result<WireJSON, WireError>) in
      switch result {
      case .success(let value):
        let refusal = peer.send(.result(id: id, value), "answer to '\(method)'")
        if let refusal { peer.send(.failure(id: id, refusal)) }
      case .failure(let error): peer.send(.failure(id: id, error))
      }
    }
    switch method {
    case "apps.list":
      answer(.success(.array(slots.keys.sorted().map { .string($0) })))
    case "intent.perform", "entity.query", "screen.read", "host.probe":
      callApp(method, parameters, size: peer.lineLength, answer)
    case "index.wait":
      index.whenIndexed { answer($0.map { WireJSON.object([]) }) }
    case "index.check":
      checkIndex(parameters, answer)
    case "index.dump":
      answer(
        index.entries().map { entries in
          .array(entries.map { IndexUpdate.upsert([$0]).json })
        })
    default:
      answer(
        .failure(
          WireError(
            .methodNotFound,
            "the intent system knows no method '\(method.shortened(to: 200))'")))
    }
  }

  /// Calls an intent on behalf of the system's owner.
  package func perform(
    _ bundleIdentifier: String, _ intent: String, _ parameters: [String: IntentValue],
    then handler: @escaping (Result<WireJSON, WireError>) -> Void
  ) {
    let members = parameters.sorted { $0.key < $1.key }.map {
      WireJSON.Member($0.key, $0.value.json)
    }
    callApp(
      "intent.perform",
      [
        "bundle": .string(bundleIdentifier), "intent": .string(intent),
        "parameters": .object(members),
      ], handler)
  }

  /// Waits until everything that apps have told the index can be found.
  package func whenIndexed(_ handler: @escaping (WireError?) -> Void) {
    index.whenIndexed { result in
      if case .failure(let error) = result { handler(error) } else { handler(nil) }
    }
  }

  private func callApp(
    _ method: String, _ parameters: WireJSON, size: Int = 0,
    _ answer: @escaping (Result<WireJSON, WireError>) -> Void
  ) {
    let bundle = parameters["bundle"]?.string ?? ""
    let arrived = monotonicSeconds()
    let time = wallClockSeconds()
    let finish = { [unowned self] (result: Result<WireJSON, WireError>) in
      note(method, bundle, parameters, result, time: time, since: arrived)
      answer(result)
    }
    do throws(WireError) {
      try checkShape(method, parameters)
      let slot = try slot(bundle)
      try check(method, parameters, slot.app.description)
      if method == "entity.query", let query = parameters["query"],
        query["kind"]?.string == "spotlight"
      {
        searchIndex(query, slot, finish)
      } else {
        slot.enqueue(
          .init(method: method, parameters: parameters, size: size, onAnswer: finish))
      }
    } catch {
      finish(.failure(error))
    }
  }

  /// Asks an app for the entities of all its entries in the index; those that it does not find are
  /// orphans.
  private func checkIndex(
    _ parameters: WireJSON, _ answer: @escaping (Result<WireJSON, WireError>) -> Void
  ) {
    let slot: AppSlot
    let entries: [IndexUpdate.Entry]
    do throws(WireError) {
      try checkShape("index.check", parameters)
      slot = try self.slot(parameters["bundle"]?.string ?? "")
      entries = try index.entries().get()
    } catch {
      return answer(.failure(error))
    }
    let types = Set(slot.app.description.entities.map(\.identifier))
    let groups = Dictionary(grouping: entries.filter { types.contains($0.type) }, by: \.type)
    var queries: [(type: String, identifiers: [String])] = []
    for (type, entries) in groups.sorted(by: { $0.key < $1.key }) {
      queries += identifierPages(entries.map(\.identifier), most: 500).map { (type, $0) }
    }
    var orphans: [WireJSON] = []
    func ask(_ number: Int) {
      guard number < queries.count else { return answer(.success(["orphans": .array(orphans)])) }
      let (type, asked) = queries[number]
      slot.askForEntities(type, asked) { result in
        switch result {
        case .failure(let error): answer(.failure(error))
        case .success(let value):
          let found = Set(
            (value["entities"]?.array ?? []).compactMap { $0["entity"]?["id"]?.string })
          orphans += asked.filter { !found.contains($0) }.map {
            ["type": .string(type), "id": .string($0)]
          }
          ask(number + 1)
        }
      }
    }
    ask(0)
  }

  private func slot(_ bundle: String) throws(WireError) -> AppSlot {
    if let slot = slots[bundle] { return slot }
    let known = slots.keys.sorted()
    let name = bundle.shortened(to: 200)
    let problems = configuration.problems.map { "\n\($0)" }.joined()
    throw WireError(
      .unknownApp,
      (known.isEmpty
        ? "\(name) is not present: no app is installed; add an executable target with an intent "
          + "host to the package"
        : "\(name) is not present; installed are \(known.joined(separator: ", "))") + problems)
  }

  /// Looks into the index, then asks the app for what was found, so many at once.
  private func searchIndex(
    _ query: WireJSON, _ slot: AppSlot, _ finish: @escaping (Result<WireJSON, WireError>) -> Void
  ) {
    let type = query["type"]?.string ?? ""
    switch index.search(query["text"]?.string, type: type, field: query["field"]?.string) {
    case .failure(let error): finish(.failure(error))
    case .success(let matches):
      let pages = identifierPages(matches.map(\.identifier), most: 1000)
      var entities: [WireJSON] = []
      var queries: [WireJSON] = []
      var size = 0
      func ask(_ number: Int) {
        guard number < pages.count else {
          return finish(.success(["entities": .array(entities), "queries": .array(queries)]))
        }
        slot.askForEntities(type, pages[number]) { result in
          guard case .success(let value) = result else { return finish(result) }
          entities += value["entities"]?.array ?? []
          queries += value["queries"]?.array ?? []
          if pages.count > 1 { size += value.bytes.count }
          guard size <= WireMessage.maximumLength else {
            let limit = WireMessage.maximumLength
            return finish(
              .failure(
                WireError(
                  .invalidRequest,
                  "the answer with the \(matches.count) entries that were found is longer than the "
                    + "\(limit) bytes that can be sent; search for more words")))
          }
          ask(number + 1)
        }
      }
      ask(0)
    }
  }

  private func note(
    _ method: String, _ bundle: String, _ parameters: WireJSON,
    _ result: Result<WireJSON, WireError>, time: Double, since arrived: Double
  ) {
    guard let onJournal = configuration.onJournal else { return }
    var entry = JournalEntry(
      time: time, duration: monotonicSeconds() - arrived, bundleIdentifier: bundle,
      runtime: configuration.runtime, method: method, intent: parameters["intent"]?.string,
      parameters: parameters["parameters"] ?? parameters["query"] ?? .object([]),
      fixtureToken: configuration.fixtureToken)
    switch result {
    case .success(let value):
      entry.queries = value["queries"]
      entry.result = .object((value.members ?? []).filter { $0.key != "queries" })
    case .failure(let error):
      entry.queries = error.queries
      entry.error = error
    }
    onJournal(entry)
  }
}
