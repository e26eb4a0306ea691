import AppIntents
package import IntentWire

/// Answers the calls that reach an app's process.
package struct HostCalls: Sendable {
  package let registry: AppRegistry

  package init(registry: AppRegistry) { self.registry = registry }

  /// Answers one call.
  ///
  /// - Throws: ``WireError``; everything that the app throws becomes one.
  package func answer(_ method: String, _ parameters: WireJSON) async throws(WireError) -> WireJSON
  {
    do {
      switch method {
      case "intent.perform": return try await perform(parameters)
      case "entity.query": return try await query(parameters)
      case "entity.index": return try await indexEntries(parameters)
      case "screen.read": return try await Screen.main.json
      // Asks nothing of the app: it proves that its process answers.
      case "host.probe": return .object([])
      default: throw WireError(.methodNotFound, "the app knows no method '\(method)'")
      }
    } catch let error as WireShapeError {
      throw WireError(.invalidParameters, "\(method): \(error)")
    } catch {
      throw WireError(thrown: error)
    }
  }

  private func perform(_ call: WireJSON) async throws -> WireJSON {
    let name = try require(call["intent"]?.string, "intent")
    guard let type = registry.intents[name] else {
      throw WireError(.unknownName, "the app has no intent '\(name)'")
    }
    return try await withQueries { resolver in
      let intent = type.init()
      try await fill(intent, try require(call["parameters"]?.members, "parameters"), resolver)
      return try await finish(intent)
    }
  }

  /// Adds what the app's queries were asked to an answer. The journal wants the queries of a call
  /// that failed, too.
  private func withQueries(
    _ body: (EntityResolver) async throws -> [WireJSON.Member]
  ) async throws -> WireJSON {
    let resolver = EntityResolver()
    do {
      let members = try await body(resolver)
      return .object(members + [.init("queries", .array(resolver.queries.map(\.json)))])
    } catch {
      var failure = WireError(thrown: error)
      failure.queries = .array(resolver.queries.map(\.json))
      throw failure
    }
  }

  /// Gives the parameters their values.
  private func fill(
    _ intent: any AppIntent, _ given: [WireJSON.Member], _ resolver: EntityResolver
  ) async throws {
    let known = AppIntents.parameters(of: intent)
    for member in given {
      guard let parameter = known.first(where: { $0.name == member.key })?.parameter else {
        throw WireError(
          .unknownName, "\(type(of: intent)) has no parameter '\(member.key)'",
          parameter: member.key)
      }
      if member.value == .null, !parameter._type.isOptional {
        throw needsValue(member.key, parameter, of: intent)
      }
      do {
        try await parameter._set(IntentValue(json: member.value), resolver)
      } catch let error as WireShapeError {
        throw WireError(
          .wrongType, "parameter '\(member.key)': \(error)", parameter: member.key)
      } catch var error as WireError {
        error.parameter = error.parameter ?? member.key
        error.message = "parameter '\(member.key)': \(error.message)"
        throw error
      }
    }
  }

  /// The error for a required parameter that is missing or was cleared.
  private func needsValue(
    _ name: String, _ parameter: any _AnyIntentParameter, of intent: any AppIntent
  ) -> WireError {
    let question = parameter._requestValueDialog.map { ": \"\($0)\"" } ?? ""
    var error = WireError(
      .needsValue,
      "the required parameter '\(name)' of \(type(of: intent).persistentIdentifier) has no "
        + "value, and nobody can be asked\(question); give it one: makeIntent(\(name): ...)",
      parameter: name)
    error.prompt = parameter._requestValueDialog
    return error
  }

  /// Sees to what an intent needs before it is performed: its values, its dependencies, and the
  /// screen.
  private func prepare(_ intent: any AppIntent) async throws {
    for (name, parameter) in AppIntents.parameters(of: intent)
    where !parameter._isSet && !parameter._type.isOptional {
      throw needsValue(name, parameter, of: intent)
    }
    try checkDependencies(of: intent)
    if type(of: intent).openAppWhenRun { await Screen.main.comeToFront() }
  }

  /// Performs an intent, and the one that it opens after it.
  private func finish<Intent: AppIntent>(_ intent: Intent) async throws -> [WireJSON.Member] {
    try await prepare(intent)
    let result = try await asking(intent) { try await $0.perform() }
    var members: [WireJSON.Member] = []
    guard let result = result as? any AnyIntentResult else { return members }
    if let value = result.wireValue { members.append(.init("value", value.json)) }
    if let dialog = result.dialogText { members.append(.init("dialog", .string(dialog))) }
    if let opened = result.openedIntent {
      members.append(.init("opened", .string(type(of: opened).persistentIdentifier)))
      try await prepare(opened)
      _ = try await asking(opened) { try await $0.perform() as any Sendable }
    }
    return members
  }

  /// Performs an intent; that it asked for a value is told with its name, as nobody can answer.
  private func asking<Intent: AppIntent, Result>(
    _ intent: Intent, _ perform: (Intent) async throws -> Result
  ) async throws -> Result {
    do {
      return try await perform(intent)
    } catch var error as WireError where error.code == .needsValue {
      let prompt = error.prompt ?? error.message
      let name = error.parameter ?? "?"
      error.message =
        "\(type(of: intent).persistentIdentifier) asked for a value of its parameter '\(name)' "
        + "(\"\(prompt)\"), and nobody can answer; give it one: makeIntent(\(name): ...)"
      error.prompt = prompt
      throw error
    }
  }

  private func query(_ call: WireJSON) async throws -> WireJSON {
    let query = try IntentValue.Query(json: try require(call["query"], "query"))
    guard let type = registry.entities[query.type] else {
      throw WireError(.unknownName, "the app has no entity '\(query.type)'")
    }
    return try await withQueries { resolver in
      let values = try await values(query, of: type, resolver)
      return [.init("entities", .array(values.map(\.json)))]
    }
  }

  /// What the index would have of entities if they were indexed now, and which are to be hidden.
  private func indexEntries(_ call: WireJSON) async throws -> WireJSON {
    let query = try IntentValue.Query(json: try require(call["query"], "query"))
    guard let type = registry.entities[query.type] as? any IndexedEntity.Type else {
      throw WireError(.unsupported, "\(query.type) is no IndexedEntity of the app")
    }
    return try await withQueries { resolver in
      let (entries, hidden) = try await entries(query, of: type, resolver)
      return [
        .init("entries", IndexUpdate.upsert(entries).json),
        .init("hidden", .array(hidden.map { .string($0) })),
      ]
    }
  }

  private func entries<Entity: IndexedEntity>(
    _ query: IntentValue.Query, of type: Entity.Type, _ resolver: EntityResolver
  ) async throws -> (entries: [IndexUpdate.Entry], hidden: [String]) {
    let found = try await resolver.entities(query, as: type)
    return (
      found.filter { !$0.hideInSpotlight }.map(\.indexEntry),
      found.filter(\.hideInSpotlight).map(\.id.entityIdentifierString)
    )
  }

  private func values<Entity: AppEntity>(
    _ query: IntentValue.Query, of type: Entity.Type, _ resolver: EntityResolver
  ) async throws -> [IntentValue] {
    try await resolver.entities(query, as: type).map(\._value)
  }
}
