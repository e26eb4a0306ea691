import IntentWire
import SystemFiles

/// The string tables in the sources of a package: `.lproj` folders and string catalogs.
package enum PackageStrings {
  /// - Parameter package: The package's folder.
  /// - Returns: Keys by language; `nil` when there is no table that can be read.
  package static func keys(in package: String) -> [String: Set<String>]? {
    var tables: [String: Set<String>] = [:]
    visit(package, depth: 0, &tables)
    return tables.isEmpty ? nil : tables
  }

  private static func visit(
    _ folder: String, depth: Int, _ tables: inout [String: Set<String>]
  ) {
    guard depth <= MetadataLimits.depth else { return }
    for name in (folderEntries(folder) ?? []).sorted() where !name.hasPrefix(".") {
      let path = "\(folder)/\(name)"
      if name.hasSuffix(".xcstrings") {
        for (language, keys) in catalog(path) { tables[language, default: []].formUnion(keys) }
      } else if name.hasSuffix(".lproj") {
        let language = String(name.dropLast(".lproj".count))
        for table in folderEntries(path) ?? []
        where table.hasSuffix(".strings") || table.hasSuffix(".stringsdict") {
          guard let bytes = readSmallFile("\(path)/\(table)", .regularFileOnly),
            let keys = StringTables.keys(of: bytes)
          else { continue }
          tables[language, default: []].formUnion(keys)
        }
      } else if isFolder(path) {
        visit(path, depth: depth + 1, &tables)
      }
    }
  }

  private static func isFolder(_ path: String) -> Bool {
    (try? checkIsFolder(path)) != nil
  }

  /// A string catalog's keys: all of them in its own language, translated ones in others.
  private static func catalog(_ path: String) -> [String: Set<String>] {
    guard let bytes = readSmallFile(path, .regularFileOnly),
      let json = try? WireJSON(reading: bytes), let strings = json["strings"]?.members
    else { return [:] }
    var tables: [String: Set<String>] = [:]
    if let own = json["sourceLanguage"]?.string { tables[own] = Set(strings.map(\.key)) }
    for string in strings {
      for language in string.value["localizations"]?.members ?? [] {
        tables[language.key, default: []].insert(string.key)
      }
    }
    return tables
  }
}
