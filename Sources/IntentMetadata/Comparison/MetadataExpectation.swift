package import IntentWire

/// What must be registered: the contents of a file that users check in.
package struct MetadataExpectation: Hashable, Sendable {
  /// Version of the file's format.
  package static let format = "1.0"

  /// What one app must have.
  package struct App: Hashable, Sendable {
    /// Names of parameters by identifier of the intent.
    package var intents: [String: [String]] = [:]
    /// Names of properties by type name of the entity.
    package var entities: [String: [String]] = [:]
    /// Raw values by identifier of the enumeration.
    package var enumerations: [String: [String]] = [:]
    /// Phrases by identifier of the intent.
    package var shortcuts: [String: [String]] = [:]

    package init() {}

    /// All that metadata has.
    package init(_ metadata: AppMetadata) {
      for intent in metadata.intents { intents[intent.identifier] = intent.parameters.map(\.name) }
      for entity in metadata.entities {
        entities[entity.typeName] = entity.properties.map(\.identifier)
      }
      for enumeration in metadata.enumerations where !enumeration.isSystem {
        enumerations[enumeration.identifier] = enumeration.cases.map(\.identifier)
      }
      for shortcut in metadata.shortcuts {
        shortcuts[shortcut.intent, default: []] += shortcut.phrases.map(\.key)
      }
    }
  }

  /// By bundle identifier, or by the name of the app when it has none.
  package var apps: [String: App] = [:]

  package init(apps: [String: App] = [:]) { self.apps = apps }

  /// Something that is missing, or that nobody expects.
  package struct Difference: Hashable, Sendable {
    package var app: String
    package var item: MetadataItem
    /// Whether it is expected and missing; else it is there and not expected.
    package var isMissing: Bool
    package var message: String
  }

  /// What an app lacks, and what it has beyond what is expected.
  package func differences(of app: String, in metadata: AppMetadata) -> [Difference] {
    let expected = apps[app] ?? App()
    let found = App(metadata)
    var differences: [Difference] = []
    compare(
      app, expected.intents, found.intents, MetadataItem.intent,
      member: { .parameter(intent: $0, $1) }, into: &differences)
    compare(
      app, expected.entities, found.entities, MetadataItem.entity,
      member: { .property(entity: $0, $1) }, into: &differences)
    compare(
      app, expected.enumerations, found.enumerations, MetadataItem.enumeration,
      member: { .enumerationCase(enumeration: $0, $1) }, into: &differences)
    for intent in Set(expected.shortcuts.keys).union(found.shortcuts.keys).sorted() {
      let (first, second) = (expected.shortcuts[intent], found.shortcuts[intent])
      let number = metadata.shortcuts.firstIndex { $0.intent == intent } ?? 0
      guard let first, let second else {
        differences.append(
          Difference(
            app: app, item: .shortcut(number), isMissing: second == nil,
            message: "the App Shortcut of intent '\(intent)'"))
        continue
      }
      for phrase in first where !second.contains(phrase) {
        differences.append(
          Difference(
            app: app, item: .shortcut(number), isMissing: true,
            message: "the phrase \"\(phrase)\" of intent '\(intent)'"))
      }
      for phrase in second where !first.contains(phrase) {
        differences.append(
          Difference(
            app: app, item: .shortcut(number), isMissing: false,
            message: "the phrase \"\(phrase)\" of intent '\(intent)'"))
      }
    }
    return differences
  }

  private func compare(
    _ app: String, _ expected: [String: [String]], _ found: [String: [String]],
    _ item: (String) -> MetadataItem, member: (String, String) -> MetadataItem,
    into differences: inout [Difference]
  ) {
    let add = { (item: MetadataItem, isMissing: Bool, list: inout [Difference]) in
      list.append(Difference(app: app, item: item, isMissing: isMissing, message: item.name))
    }
    for name in Set(expected.keys).union(found.keys).sorted() {
      guard let first = expected[name], let second = found[name] else {
        add(item(name), found[name] == nil, &differences)
        continue
      }
      for value in first where !second.contains(value) {
        add(member(name, value), true, &differences)
      }
      for value in second where !first.contains(value) {
        add(member(name, value), false, &differences)
      }
    }
  }
}

// MARK: The file

extension MetadataExpectation {
  /// As it is checked in; sorted, so that the same expectations have the same text.
  package var json: WireJSON {
    let lists = { (lists: [String: [String]]) -> WireJSON in
      .object(
        lists.sorted { $0.key < $1.key }.map {
          WireJSON.Member($0.key, .array($0.value.map { .string($0) }))
        })
    }
    return [
      "format": .string(Self.format),
      "apps": .object(
        apps.sorted { $0.key < $1.key }.map { name, app in
          WireJSON.Member(
            name,
            [
              "intents": lists(app.intents), "entities": lists(app.entities),
              "enums": lists(app.enumerations), "shortcuts": lists(app.shortcuts),
            ])
        }),
    ]
  }

  /// Reads the file; unknown keys are left alone.
  ///
  /// - Throws: ``MetadataError`` when it is no JSON, has a newer major version, or another shape.
  package init(reading bytes: [UInt8]) throws(MetadataError) {
    let json: WireJSON
    do throws(WireSyntaxError) {
      json = try WireJSON(reading: bytes)
    } catch {
      throw MetadataError(
        .invalidJSON, "this is no JSON: \(error)", context: ["offset": "\(error.offset)"])
    }
    guard let format = json["format"]?.string, let apps = json["apps"]?.members else {
      throw MetadataError(
        .invalidShape, "this is no file of expectations: it lacks 'format' or 'apps'")
    }
    guard format.prefix(while: { $0 != "." }) == Self.format.prefix(while: { $0 != "." }) else {
      throw MetadataError(
        .newerVersion, "the file has format \(format), and only \(Self.format) is known")
    }
    for app in apps {
      var expected = App()
      expected.intents = try Self.lists(app, "intents")
      expected.entities = try Self.lists(app, "entities")
      expected.enumerations = try Self.lists(app, "enums")
      expected.shortcuts = try Self.lists(app, "shortcuts")
      self.apps[app.key] = expected
    }
  }

  private static func lists(
    _ app: WireJSON.Member, _ key: String
  ) throws(MetadataError) -> [String: [String]] {
    guard let value = app.value[key] else { return [:] }
    var lists: [String: [String]] = [:]
    for member in value.members ?? [] {
      let texts = (member.value.array ?? []).compactMap(\.string)
      guard let count = member.value.array?.count, count == texts.count else {
        throw MetadataError(
          .invalidShape, "'apps.\(app.key).\(key).\(member.key)': a list of strings is expected",
          context: ["path": "apps.\(app.key).\(key).\(member.key)"])
      }
      lists[member.key] = texts
    }
    guard value.members != nil else {
      throw MetadataError(
        .invalidShape, "'apps.\(app.key).\(key)': an object is expected",
        context: ["path": "apps.\(app.key).\(key)"])
    }
    return lists
  }
}
