package import IntentWire
import RunModel
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
      notePending("its entries")
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
    let isSearch =
      method == "entity.query" && parameters["query"]?["kind"]?.string == "spotlight"
    let pending = isSearch ? index.pendingUpdates : 0
    let finish = { [unowned self] (result: Result<WireJSON, WireError>) in
      note(method, bundle, parameters, result, pending: pending, time: time, since: arrived)
      answer(result)
    }
    do throws(WireError) {
      try checkShape(method, parameters)
      let slot = try slot(bundle)
      try check(
        method, parameters, slot.app.description,
        isReleaseBuild: configuration.isReleaseBuild == true)
      if isSearch, let query = parameters["query"] {
        let text = query["text"]?.string.map { " '\($0)'" } ?? ""
        notePending("\(query["type"]?.string ?? "")\(text)")
        searchIndex(query, slot, finish)
      } else {
        slot.enqueue(
          .init(method: method, parameters: parameters, size: size, onAnswer: finish))
      }
    } catch {
      finish(.failure(error))
    }
  }

  /// - Parameter question: What the index is asked for.
  private func notePending(_ question: String) {
    let pending = index.pendingUpdates
    if pending > 0 { configuration.onPendingUpdates?(pending, question) }
  }

  /// Looks at the entries of an app's entities; see ``IndexAudit``.
  private func checkIndex(
    _ parameters: WireJSON, _ answer: @escaping (Result<WireJSON, WireError>) -> Void
  ) {
    do throws(WireError) {
      try checkShape("index.check", parameters)
      let bundle = parameters["bundle"]?.string ?? ""
      let slot = try slot(bundle)
      notePending("the entries of \(bundle)")
      let audit = IndexAudit(
        of: try index.entries().get(), slot: slot,
        compares: parameters["compares"]?.bool ?? false, onEnd: answer)
      audit.goOn()
    } catch {
      answer(.failure(error))
    }
  }

  private func slot(_ bundle: String) throws(WireError) -> AppSlot {
    if let fault = fault(of: bundle) {
      configuration.onFault?(fault)
      throw fault
    }
    if let slot = slots[bundle] { return slot }
    let known = slots.keys.sorted()
    let name = bundle.shortened(to: 200)
    throw WireError(
      .unknownApp,
      known.isEmpty
        ? "\(name) is not present: no app is installed; add an executable target with an intent "
          + "host to the package"
        : "\(name) is not present\(Self.hint(bundle, known))")
  }

  /// Why an app cannot be called although nothing is wrong with the call.
  private func fault(of bundle: String) -> WireError? {
    if let fault = configuration.faults[bundle] { return fault }
    let problems = configuration.problems
    if let problem = problems.first(where: { $0.bundleIdentifier == bundle }) {
      return WireError(.unknownApp, problem.message)
    }
    // An executable that does not say which app it is may be this one.
    let nameless = problems.filter { $0.bundleIdentifier == nil }
    guard slots[bundle] == nil, !nameless.isEmpty else { return nil }
    return WireError(
      .unknownApp, (["\(bundle) is not present"] + nameless.map(\.message)).joined(separator: "\n"))
  }

  private static func hint(_ bundle: String, _ known: [String]) -> String {
    let near = NearNames(toBundle: bundle, among: known).names
    return "; installed are \(known.joined(separator: ", ")), by the 'bundleIdentifier' of their "
      + "HostedApp" + didYouMean(near)
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
    _ result: Result<WireJSON, WireError>, pending: Int, time: Double, since arrived: Double
  ) {
    guard let onJournal = configuration.onJournal else { return }
    var entry = JournalEntry(
      time: time, duration: monotonicSeconds() - arrived, bundleIdentifier: bundle,
      runtime: configuration.runtime, method: method, intent: parameters["intent"]?.string,
      parameters: parameters["parameters"] ?? parameters["query"] ?? .object([]),
      fixtureToken: configuration.fixtureToken)
    entry.pendingUpdates = pending
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
