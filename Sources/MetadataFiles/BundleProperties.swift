import FoundationEssentials

/// What an `Info.plist` says of a bundle.
struct BundleProperties {
  var identifier: String?
  private var shortVersion: String?
  private var build: String?

  /// `1.2 (34)`
  var shownVersion: String? {
    guard let shortVersion else { return build }
    return build.map { "\(shortVersion) (\($0))" } ?? shortVersion
  }

  /// `nil` when the bytes are no property list with these keys; metadata counts without it, too.
  init?(reading bytes: [UInt8]) {
    guard let keys = try? PropertyListDecoder().decode(Keys.self, from: Data(bytes)) else {
      return nil
    }
    identifier = keys.CFBundleIdentifier
    shortVersion = keys.CFBundleShortVersionString
    build = keys.CFBundleVersion
  }

  private struct Keys: Decodable {
    var CFBundleIdentifier: String?
    var CFBundleShortVersionString: String?
    var CFBundleVersion: String?
  }
}

/// The keys of a bundle's string tables.
enum StringTables {
  /// - Parameter folder: Where the `.lproj` folders are, with a slash at its end unless it is the
  ///   top.
  /// - Returns: Keys by language; `nil` when there is no table that can be read.
  static func keys(in folder: String, _ files: [String: [UInt8]]) -> [String: Set<String>]? {
    var tables: [String: Set<String>] = [:]
    for (name, bytes) in files where name.hasPrefix(folder) {
      let parts = name.dropFirst(folder.utf8.count).split(separator: "/")
      if parts.count == 2, parts[0].hasSuffix(".lproj") {
        guard let keys = keys(of: bytes) else { continue }
        tables[String(parts[0].dropLast(".lproj".count)), default: []].formUnion(keys)
      } else if parts.count == 1, name.hasSuffix(".loctable") {
        guard let languages = try? decode([String: Table].self, bytes) else { continue }
        for (language, table) in languages where !table.keys.isEmpty {
          tables[language, default: []].formUnion(table.keys)
        }
      }
    }
    return tables.isEmpty ? nil : tables
  }

  static func keys(of bytes: [UInt8]) -> Set<String>? {
    (try? decode(Table.self, bytes))?.keys
  }

  private static func decode<Value: Decodable>(
    _: Value.Type, _ bytes: [UInt8]
  ) throws -> Value {
    try PropertyListDecoder().decode(Value.self, from: Data(bytes))
  }

  /// The keys of a dictionary, whatever its values are.
  private struct Table: Decodable {
    var keys: Set<String>

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Key.self)
      keys = Set(container.allKeys.map(\.stringValue))
    }

    private struct Key: CodingKey {
      var stringValue: String
      var intValue: Int? { nil }
      init?(stringValue: String) { self.stringValue = stringValue }
      init?(intValue: Int) { nil }
    }
  }
}
