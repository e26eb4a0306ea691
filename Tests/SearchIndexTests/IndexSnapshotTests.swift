import CSQLite
import FoundationEssentials
import IntentWire
import TestSupport
import Testing

@testable import SearchIndex

/// Indexes that may come from anywhere are read without trusting them.
@Suite struct IndexSnapshotTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder(prefix: "carrel index é-") }

  private func bytes(_ path: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(filePath: path)))
  }

  /// An index with one entry, changed by statements.
  private func index(_ statements: String...) throws -> [UInt8] {
    let path = folder.path(of: "\(UUID().uuidString).sqlite")
    try SearchIndex.createEmpty(at: path)
    let index = try SearchIndex(path: path)
    try index.apply(
      .upsert([
        .init(type: "Note", identifier: "2", domain: "d", fields: [.init("title", "Milk\u{1B}")]),
        .init(type: "Note", identifier: "1", fields: [.init("title", "Eggs")]),
      ]))
    var handle: OpaquePointer?
    try #require(sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK)
    defer { sqlite3_close(handle) }
    for statement in statements {
      let result = sqlite3_exec(handle, statement, nil, nil, nil)
      try #require(result == SQLITE_OK, "\(statement): \(String(cString: sqlite3_errmsg(handle)))")
    }
    return try bytes(path)
  }

  @Test func readsWhatTheIndexReads() throws {
    let path = folder.path(of: "index.sqlite")
    try SearchIndex.createEmpty(at: path)
    #expect(try IndexSnapshot.entries(of: try bytes(path), name: "i").isEmpty)
    let entries = try IndexSnapshot.entries(of: try index(), name: "i")
    #expect(entries.map(\.identifier) == ["1", "2"])
    #expect(entries[1].domain == "d" && entries[1].fields == [.init("title", "Milk\u{1B}")])
  }

  /// A view in the place of the table could compute without end, or more than fits into memory.
  @Test(arguments: [
    "CREATE VIEW entry AS SELECT 'a' AS type, 'b' AS identifier, 'c' AS domain, '{}' AS fields",
    """
    CREATE VIEW entry AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
    SELECT 'a' AS type, i AS identifier, NULL AS domain, '{}' AS fields FROM n
    """,
    "CREATE VIRTUAL TABLE entry USING fts5(type, identifier, domain, fields)",
    """
    CREATE TABLE entry (type AS (hex(zeroblob(100000000))), identifier TEXT, domain TEXT,
      fields TEXT, row INTEGER PRIMARY KEY)
    """,
  ])
  func anotherThingThanATableIsRefused(statement: String) throws {
    let bytes = try index("DROP TABLE entry", statement, "PRAGMA user_version = 2")
    let error = #expect(throws: SearchIndexError.self) {
      let entries = try IndexSnapshot.entries(of: bytes, name: "i")
      // A generated column of no rows is harmless, and so is an empty list.
      if entries.isEmpty { throw SearchIndexError(unreadable: "i", "empty") }
    }
    #expect(error?.code == .unreadable)
  }

  /// A column that calls a function is refused before it runs.
  @Test func generatedColumnsAreRefused() throws {
    let bytes = try index(
      "DROP TABLE entry",
      """
      CREATE TABLE entry (type AS (hex(zeroblob(100000000))), identifier TEXT, domain TEXT,
        fields TEXT, row INTEGER PRIMARY KEY)
      """, "INSERT INTO entry (identifier, fields) VALUES ('a', '{}')")
    let error = #expect(throws: SearchIndexError.self) {
      try IndexSnapshot.entries(of: bytes, name: "i")
    }
    #expect(error?.code == .unreadable)
  }

  @Test func entriesThatAreNoneAreRefused() throws {
    for statement in [
      "UPDATE entry SET fields = 'no JSON'", "UPDATE entry SET type = x'00ff'",
      "UPDATE entry SET fields = '[]'", "PRAGMA user_version = 99",
    ] {
      let bytes = try index(statement)
      let error = #expect(throws: SearchIndexError.self, "\(statement)") {
        try IndexSnapshot.entries(of: bytes, name: "i")
      }
      #expect(error?.code == .unreadable)
    }
  }

  @Test func whatIsNoDatabaseIsRefused() throws {
    let whole = try index()
    for bytes in [
      [], [0], Array("hello, this is no database".utf8), Array(whole.prefix(1000)),
      Array(whole.prefix(whole.count / 2)),
      [UInt8](repeating: 0, count: IndexSnapshot.maxBytes + 1),
    ] {
      #expect(throws: SearchIndexError.self) {
        try IndexSnapshot.entries(of: bytes, name: "i")
      }
    }
  }

  /// Whatever is damaged, reading ends, and nothing is written anywhere.
  @Test(.timeLimit(.minutes(10))) func damagedFilesEnd() throws {
    let whole = try index()
    var random = SeededGenerator(seed: 5)
    for _ in 0..<300 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...20, using: &random) {
        let position = Int.random(in: 0..<bytes.count, using: &random)
        bytes[position] = UInt8(truncatingIfNeeded: random.next())
      }
      _ = try? IndexSnapshot.entries(of: bytes, name: "i")
    }
    #expect(try IndexSnapshot.entries(of: whole, name: "i").count == 2)
  }
}
