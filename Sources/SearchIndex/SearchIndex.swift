import CSQLite

/// A searchable index of entities in one SQLite file.
package enum SearchIndex {
  /// Version of the schema, kept in `user_version`.
  package static let schemaVersion = 1

  /// Makes a file with an empty index.
  ///
  /// Entities are kept as they were given; `search` holds their words and points to them by row.
  ///
  /// - Throws: ``SearchIndexError`` with the code `index-not-made`.
  package static func createEmpty(at path: String) throws(SearchIndexError) {
    var handle: OpaquePointer?
    let opened = sqlite3_open_v2(
      path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nil)
    defer { sqlite3_close(handle) }
    guard opened == SQLITE_OK else { throw SearchIndexError(.notMade, path: path, handle: handle) }
    let schema = """
      -- One transaction, and no waiting for the disk: a file that is not whole is not used.
      PRAGMA synchronous = OFF;
      BEGIN;
      PRAGMA user_version = \(schemaVersion);
      CREATE TABLE entity (
        row INTEGER PRIMARY KEY,
        type TEXT NOT NULL,
        identifier TEXT NOT NULL,
        domain TEXT,
        attributes TEXT NOT NULL,
        UNIQUE (type, identifier)
      );
      CREATE VIRTUAL TABLE search USING fts5 (
        field, words, tokenize = 'unicode61 remove_diacritics 2');
      COMMIT;
      """
    guard sqlite3_exec(handle, schema, nil, nil, nil) == SQLITE_OK else {
      throw SearchIndexError(.notMade, path: path, handle: handle)
    }
  }
}
