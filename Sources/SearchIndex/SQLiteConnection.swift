import CSQLite

/// A connection to one SQLite file, used by one thread at a time.
final class SQLiteConnection {
  private let path: String
  /// The code of its errors.
  private let code: SearchIndexError.Code
  private var handle: OpaquePointer?
  private var statements: [String: OpaquePointer] = [:]

  /// - Throws: ``SearchIndexError``.
  init(
    path: String, _ code: SearchIndexError.Code = .failed
  ) throws(SearchIndexError) {
    self.path = path
    self.code = code
    let creates = code == .notMade ? SQLITE_OPEN_CREATE : 0
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | creates
    guard sqlite3_open_v2(path, &handle, flags, nil) == SQLITE_OK else {
      let error = SearchIndexError(code, path: path, handle: handle)
      sqlite3_close(handle)
      throw error
    }
    // Nobody else uses the file but for tests that look into it; who calls is never held up long.
    sqlite3_busy_timeout(handle, 100)
  }

  deinit {
    for statement in statements.values { sqlite3_finalize(statement) }
    sqlite3_close(handle)
  }

  /// Runs statements without values.
  func run(_ sql: String) throws(SearchIndexError) {
    guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw failure() }
  }

  /// Runs one statement, which is kept prepared.
  ///
  /// - Parameters:
  ///   - values: Texts or integers for the question marks; `nil` for NULL.
  ///   - onRow: Called for each row.
  func run(
    _ sql: String, _ values: [SQLiteValue?], onRow: (SQLiteRow) -> Void = { _ in }
  ) throws(SearchIndexError) {
    let statement = try prepared(sql)
    defer {
      sqlite3_reset(statement)
      sqlite3_clear_bindings(statement)
    }
    for (index, value) in values.enumerated() {
      let position = Int32(index + 1)
      let result =
        switch value {
        case .text(let text): bind(text, statement, position)
        case .integer(let number): sqlite3_bind_int64(statement, position, number)
        case nil: sqlite3_bind_null(statement, position)
        }
      guard result == SQLITE_OK else { throw failure() }
    }
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW: onRow(SQLiteRow(statement: statement))
      case SQLITE_DONE: return
      default: throw failure()
      }
    }
  }

  /// Runs a body in a transaction: all of it or nothing is written.
  func transaction(
    _ body: () throws(SearchIndexError) -> Void
  ) throws(SearchIndexError) {
    try run("BEGIN IMMEDIATE")
    do throws(SearchIndexError) {
      try body()
      try run("COMMIT")
    } catch {
      try? run("ROLLBACK")
      throw error
    }
  }

  var lastRow: Int64 { sqlite3_last_insert_rowid(handle) }

  private func bind(_ text: String, _ statement: OpaquePointer?, _ position: Int32) -> Int32 {
    var text = text
    return text.withUTF8 { bytes in
      // The destructor that tells SQLite to make a copy.
      let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
      return bytes.withMemoryRebound(to: CChar.self) {
        sqlite3_bind_text64(
          statement, position, $0.baseAddress ?? UnsafePointer(emptyText), UInt64($0.count),
          transient, UInt8(SQLITE_UTF8))
      }
    }
  }

  private func prepared(_ sql: String) throws(SearchIndexError) -> OpaquePointer? {
    if let known = statements[sql] { return known }
    var statement: OpaquePointer?
    let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
    guard sqlite3_prepare_v3(handle, sql, -1, flags, &statement, nil) == SQLITE_OK else {
      throw failure()
    }
    statements[sql] = statement
    return statement
  }

  private func failure() -> SearchIndexError {
    SearchIndexError(code, path: path, handle: handle)
  }
}

/// What an empty text is bound to: its address must not be null, which would be NULL.
private nonisolated(unsafe) let emptyText: UnsafeMutablePointer<CChar> = {
  let pointer = UnsafeMutablePointer<CChar>.allocate(capacity: 1)
  pointer.initialize(to: 0)
  return pointer
}()

/// A value of a column.
enum SQLiteValue {
  case text(String)
  case integer(Int64)
}

/// The current row of a statement.
struct SQLiteRow {
  fileprivate let statement: OpaquePointer?

  func text(_ column: Int32) -> String? {
    guard let bytes = sqlite3_column_text(statement, column) else { return nil }
    let count = Int(sqlite3_column_bytes(statement, column))
    return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
  }

  func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }
}
