package import IntentWire

/// What a build says of an app's intents: the contents of `extract.actionsdata`.
///
/// The JSON is kept as it was read, so that nothing is lost; the properties are views of it. Values
/// that a file does not have are `nil` or empty: older versions of Xcode write fewer keys.
package struct AppMetadata: Hashable, Sendable {
  /// The version of the format that is read and written.
  package static let version = 1

  /// The whole, in the order of the file.
  package let json: WireJSON
  /// Keys that this program does not know, by place (`actions.*.newKey`), and how often they are
  /// there.
  package let unknownKeys: [String: Int]

  /// Intents in the order of their identifiers.
  package var intents: [MetadataIntent] {
    named("actions").map { MetadataIntent(key: $0.key, json: $0.value) }
  }

  /// Entities in the order of their type names.
  package var entities: [MetadataEntity] {
    named("entities").map { MetadataEntity(key: $0.key, json: $0.value) }
  }

  /// Queries in the order of their identifiers.
  package var queries: [MetadataQuery] {
    named("queries").map { MetadataQuery(key: $0.key, json: $0.value) }
  }

  /// Enumerations in the order of the file.
  package var enumerations: [MetadataEnumeration] {
    (json["enums"]?.array ?? []).map { MetadataEnumeration(json: $0) }
  }

  /// App Shortcuts in the order of the file, which is that of their declaration.
  package var shortcuts: [MetadataShortcut] {
    (json["autoShortcuts"]?.array ?? []).map { MetadataShortcut(json: $0) }
  }

  /// The mangled name of the type that provides the shortcuts.
  package var shortcutProvider: String? { json["autoShortcutProviderMangledName"]?.string }

  /// Phrases that do not mean a shortcut.
  package var negativePhrases: [String] {
    (json["negativePhrases"]?.array ?? []).compactMap { $0["phrase"]?["key"]?.string }
  }

  /// What wrote the metadata, for example `xcode-tools` and its build.
  package var generator: (name: String, version: String)? {
    guard let generator = json["generator"], let name = generator["name"]?.string else {
      return nil
    }
    return (name, generator["version"]?.string ?? "")
  }

  /// - Throws: ``MetadataError`` when the JSON is no App Intents metadata, is of a newer version,
  /// or has a value of another type than the format says.
  package init(json: WireJSON) throws(MetadataError) {
    let lists = ["actions", "entities", "queries", "enums", "autoShortcuts"]
    guard case .object = json, lists.contains(where: { json[$0] != nil }) else {
      throw MetadataError(
        .notMetadata,
        "this is no App Intents metadata: it has none of the keys \(lists.joined(separator: ", "))")
    }
    if let version = json["version"]?.int, version > Self.version {
      throw MetadataError(
        .newerVersion,
        "the metadata has version \(version), and only \(Self.version) is known; "
          + "a newer Carrel may read it", context: ["version": "\(version)"])
    }
    var check = MetadataShapeCheck()
    try check.check(json, .document)
    self.json = json
    unknownKeys = check.unknownKeys
  }

  /// Reads the bytes of an `extract.actionsdata`.
  ///
  /// - Throws: ``MetadataError``
  package init(reading bytes: [UInt8]) throws(MetadataError) {
    let json: WireJSON
    do throws(WireSyntaxError) {
      json = try WireJSON(reading: bytes)
    } catch {
      throw MetadataError(
        .invalidJSON, "this is no JSON: \(error)", context: ["offset": "\(error.offset)"])
    }
    try self.init(json: json)
  }

  /// Metadata without anything in it.
  package static let empty = AppMetadata(made: [
    "actions": [:], "entities": [:], "queries": [:], "enums": [], "autoShortcuts": [],
    "version": .int(Int64(version)),
  ])

  /// Metadata that this program made; it has the shapes of the format.
  init(made json: WireJSON) {
    self.json = json
    unknownKeys = [:]
  }

  private func named(_ key: String) -> [WireJSON.Member] {
    (json[key]?.members ?? []).sorted { $0.key < $1.key }
  }
}

/// A text of the metadata: a literal, or a key of the app's string tables.
package struct MetadataText: Hashable, Sendable {
  package var key: String
  /// Texts that mean the same.
  package var alternatives: [String]

  package init(_ key: String, alternatives: [String] = []) {
    self.key = key
    self.alternatives = alternatives
  }

  init?(_ json: WireJSON?) {
    guard let key = json?["key"]?.string else { return nil }
    self.init(key, alternatives: (json?["alternatives"]?.array ?? []).compactMap(\.string))
  }

  package var json: WireJSON {
    ["alternatives": .array(alternatives.map { .string($0) }), "key": .string(key)]
  }
}

/// From which version of a system on something is there.
package struct MetadataAvailability: Hashable, Sendable {
  /// `iOS`, `macOS`, `watchOS` …; `*` for all others.
  package var platform: String
  package var introduced: String?
  package var obsoleted: String?

  static func list(_ json: WireJSON?) -> [MetadataAvailability] {
    (json?.members ?? []).map { member in
      let prefix = "LNPlatformName"
      let name = member.key.hasPrefix(prefix) ? member.key.dropFirst(prefix.count) : member.key[...]
      return MetadataAvailability(
        platform: Self.names[String(name)] ?? String(name),
        introduced: member.value["introducedVersion"]?.string,
        obsoleted: member.value["obsoletedVersion"]?.string)
    }.sorted { $0.platform < $1.platform }
  }

  private static let names = [
    "Wildcard": "*", "IOS": "iOS", "MACOS": "macOS", "WATCHOS": "watchOS", "TVOS": "tvOS",
    "VISIONOS": "visionOS", "MACCATALYST": "Mac Catalyst",
  ]
}

extension WireJSON {
  /// The values of a list of a key and its value in turn.
  func pairs() -> [(key: String, value: WireJSON)] {
    let values = array ?? []
    return stride(from: 0, to: values.count - 1, by: 2).compactMap { index in
      values[index].string.map { ($0, values[index + 1]) }
    }
  }
}
