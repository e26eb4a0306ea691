import CSQLite
import IntentWire
import SearchIndex
import SystemFiles
import TestSupport
import Testing

@Suite struct SearchIndexTests {
  /// A fresh index in a folder of its own, opened.
  final class Database {
    let path: String
    private let folder: TemporaryFolder
    private var handle: OpaquePointer?

    init() throws {
      folder = try TemporaryFolder(name: "an index, größer")
      path = folder.path(of: "index.sqlite")
      try SearchIndex.createEmpty(at: path)
      try #require(sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK)
    }

    deinit { sqlite3_close(handle) }

    /// The first column of a query's rows, as text.
    func rows(_ query: String) throws -> [String] {
      var statement: OpaquePointer?
      defer { sqlite3_finalize(statement) }
      let message = { String(cString: sqlite3_errmsg(self.handle)) }
      try #require(
        sqlite3_prepare_v2(handle, query, -1, &statement, nil) == SQLITE_OK, "\(message())")
      var rows: [String] = []
      var status = sqlite3_step(statement)
      while status == SQLITE_ROW {
        rows.append(sqlite3_column_text(statement, 0).map { String(cString: $0) } ?? "NULL")
        status = sqlite3_step(statement)
      }
      try #require(status == SQLITE_DONE, "\(message())")
      return rows
    }
  }

  @Test func freshIndexIsEmptyAndWhole() throws {
    let database = try Database()
    #expect(try database.rows("PRAGMA user_version") == ["\(SearchIndex.schemaVersion)"])
    #expect(try database.rows("PRAGMA integrity_check") == ["ok"])
    #expect(try database.rows("SELECT count(*) FROM entry") == ["0"])
    #expect(try database.rows("SELECT count(*) FROM search") == ["0"])
    // One file that can be copied whole: no journal stays beside it.
    #expect(try database.rows("PRAGMA journal_mode") == ["delete"])
  }

  @Test func nothingStaysBesideAClosedIndex() throws {
    let folder = try TemporaryFolder()
    try SearchIndex.createEmpty(at: folder.path(of: "index.sqlite"))
    do {
      let index = try SearchIndex(path: folder.path(of: "index.sqlite"))
      try index.apply(.upsert([.init(type: "T", identifier: "1")]))
    }
    #expect(folderEntries(folder.path) == ["index.sqlite"])
  }

  @Test(arguments: ["missing/index.sqlite", "folder", "full"])
  func failureNamesThePath(kind: String) throws {
    let folder = try TemporaryFolder(name: "folder")
    let path =
      switch kind {
      case "folder": folder.path
      case "full": "/dev/full"
      default: folder.path(of: kind)
      }
    let error = #expect(throws: SearchIndexError.self) { try SearchIndex.createEmpty(at: path) }
    #expect(error?.context == ["path": path])
    #expect(error?.message.isEmpty == false)
    #expect(error?.description.contains(path) == true)
  }

  /// An index that is there already is not taken for a fresh one.
  @Test func existingIndexIsRefused() throws {
    let database = try Database()
    let error = #expect(throws: SearchIndexError.self) {
      try SearchIndex.createEmpty(at: database.path)
    }
    #expect(error?.cause?.description.contains("already exists") == true)
  }
}
