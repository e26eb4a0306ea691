import CSQLite
package import IntentWire

/// A searchable index of entities in one SQLite file, used by one thread at a time.
///
/// Entries are kept as they were given; `search` holds their words, one row for each entry under
/// the same number.
package final class SearchIndex {
  /// Version of the schema, kept in `user_version`.
  package static let schemaVersion = 2

  /// The version of SQLite, like `3.40.1`.
  package static var libraryVersion: String { String(cString: sqlite3_libversion()) }

  /// An entry that was found.
  package struct Match: Hashable, Sendable {
    package var type: String
    package var identifier: String
  }

  private let database: SQLiteConnection
  /// Whether the file is an index of this version.
  private var isOpen = false

  /// Opens an index.
  ///
  /// - Throws: ``SearchIndexError``, also when the file is no index of this version.
  package init(path: String) throws(SearchIndexError) {
    database = try SQLiteConnection(path: path)
    var version: Int64 = 0
    try database.run("PRAGMA user_version", []) { version = $0.integer(0) }
    guard version == Self.schemaVersion else {
      throw SearchIndexError(path: path, version: version, expected: Self.schemaVersion)
    }
    // The file belongs to one attempt and is gone with it; a crash of the machine ends that too.
    try database.run("PRAGMA synchronous = OFF")
    // What a rollback needs is in a file: from memory SQLite does not bring back what was there
    // before the disk was full. That the file stays is 0.07 ms of an update.
    try database.run("PRAGMA journal_mode = TRUNCATE")
    // It may be out of somebody's bundle.
    try database.run("PRAGMA trusted_schema = OFF")
    isOpen = true
  }

  deinit {
    // Takes away the empty file of what a rollback would need.
    if isOpen { try? database.run("PRAGMA journal_mode = DELETE") }
  }

  /// Makes a file with an empty index.
  ///
  /// - Throws: ``SearchIndexError``.
  package static func createEmpty(at path: String) throws(SearchIndexError) {
    let database = try SQLiteConnection(path: path, .notMade)
    let fields = SearchField.allCases.map(\.rawValue).joined(separator: ", ")
    try database.run(
      """
      -- One transaction, and no waiting for the disk: a file that is not whole is not used.
      PRAGMA synchronous = OFF;
      BEGIN;
      PRAGMA user_version = \(schemaVersion);
      CREATE TABLE entry (
        row INTEGER PRIMARY KEY,
        type TEXT NOT NULL,
        identifier TEXT NOT NULL,
        domain TEXT,
        fields TEXT NOT NULL,
        UNIQUE (type, identifier)
      );
      CREATE INDEX entry_domain ON entry (domain) WHERE domain IS NOT NULL;
      CREATE VIRTUAL TABLE search USING fts5
        (\(fields), prefix = '1 2 3', 
         tokenize = "unicode61 remove_diacritics 2 categories 'L* N* Co So'");
      COMMIT;
      """)
  }

  /// Does what an app has asked for; all of it or nothing.
  ///
  /// - Throws: ``SearchIndexError``.
  package func apply(_ update: IndexUpdate) throws(SearchIndexError) {
    try apply(CollectionOfOne(update))
  }

  /// Does several things that apps have asked for, in their order; all of them or nothing.
  ///
  /// - Throws: ``SearchIndexError``.
  package func apply(_ updates: some Collection<IndexUpdate>) throws(SearchIndexError) {
    try database.transaction { () throws(SearchIndexError) in
      for update in updates { try perform(update) }
    }
  }

  private func perform(_ update: IndexUpdate) throws(SearchIndexError) {
    switch update {
    case .upsert(let entries):
      for entry in entries { try upsert(entry) }
    case .delete(let type, let identifiers):
      for identifier in identifiers {
        try remove(where: "type = ? AND identifier = ?", [.text(type), .text(identifier)])
      }
    case .deleteType(let type): try remove(where: "type = ?", [.text(type)])
    case .deleteDomains(let domains):
      for domain in domains {
        // Those below a domain lie between "domain." and the next character after the dot.
        try remove(
          where: "domain = ? OR (domain > ? AND domain < ?)",
          [.text(domain), .text(domain + "."), .text(domain + "/")])
      }
    case .deleteAll:
      try database.run("DELETE FROM search; DELETE FROM entry")
    }
  }

  /// Entries that have all words of a text, the best match first; each word may be the beginning of
  /// one in the entry. Without a text, all entries in the order they were added.
  ///
  /// - Parameters:
  ///   - text: What somebody typed; never taken for syntax.
  ///   - type: Only entries of this type.
  ///   - field: Only words of this field.
  /// - Throws: ``SearchIndexError``, with the code `queryTooLong` when the text has more than
  ///   ``SearchWords/maximumWords`` words.
  package func search(
    _ text: String?, type: String? = nil, field: SearchField? = nil
  ) throws(SearchIndexError) -> [Match] {
    var matches: [Match] = []
    let onRow = { (row: SQLiteRow) in
      matches.append(Match(type: row.text(0) ?? "", identifier: row.text(1) ?? ""))
    }
    let ofType: [SQLiteValue?] = type.map { [.text($0)] } ?? []
    if let text {
      guard let query = try SearchWords.query(text, field: field) else { return [] }
      try database.run(
        """
        SELECT type, identifier FROM search JOIN entry ON entry.row = search.rowid
        WHERE search MATCH ? \(type == nil ? "" : "AND type = ?") ORDER BY rank, entry.row
        """, [.text(query)] + ofType, onRow: onRow)
    } else {
      try database.run(
        "SELECT type, identifier FROM entry \(type == nil ? "" : "WHERE type = ?") ORDER BY row",
        ofType, onRow: onRow)
    }
    return matches
  }

  /// All entries by type and identifier, for people and for comparison.
  package func entries() throws(SearchIndexError) -> [IndexUpdate.Entry] {
    var entries: [IndexUpdate.Entry] = []
    try database.run(
      "SELECT type, identifier, domain, fields FROM entry ORDER BY type, identifier", []
    ) { row in
      let fields = (try? WireJSON(reading: Array((row.text(3) ?? "").utf8)))?.members ?? []
      entries.append(
        IndexUpdate.Entry(
          type: row.text(0) ?? "", identifier: row.text(1) ?? "", domain: row.text(2),
          fields: fields.compactMap { field in
            field.value.string.map { IndexUpdate.Field(field.key, $0) }
          }))
    }
    return entries
  }

  private func upsert(_ entry: IndexUpdate.Entry) throws(SearchIndexError) {
    try remove(
      where: "type = ? AND identifier = ?", [.text(entry.type), .text(entry.identifier)])
    let fields = WireJSON.object(entry.fields.map { .init($0.name, .string($0.text)) })
    try database.run(
      "INSERT INTO entry (type, identifier, domain, fields) VALUES (?, ?, ?, ?)",
      [
        .text(entry.type), .text(entry.identifier), entry.domain.map { .text($0) },
        .text(String(decoding: fields.bytes, as: UTF8.self)),
      ])
    let row = database.lastRow
    let words = SearchField.allCases.map { field -> SQLiteValue? in
      let texts = entry.fields.filter { $0.name == field.rawValue }.map(\.text)
      return texts.isEmpty ? nil : .text(SearchWords.indexed(texts.joined(separator: "\n")))
    }
    try database.run(Self.insertWords, [.integer(row)] + words)
  }

  private static let insertWords: String = {
    let fields = SearchField.allCases.map(\.rawValue).joined(separator: ", ")
    let marks = SearchField.allCases.map { _ in ", ?" }.joined()
    return "INSERT INTO search (rowid, \(fields)) VALUES (?\(marks))"
  }()

  private func remove(
    where condition: String, _ values: [SQLiteValue?]
  ) throws(SearchIndexError) {
    try database.run(
      "DELETE FROM search WHERE rowid IN (SELECT row FROM entry WHERE \(condition))", values)
    try database.run("DELETE FROM entry WHERE \(condition)", values)
  }
}
