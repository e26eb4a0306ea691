import CSQLite
import Glibc
package import IntentWire

/// The entries of an index that may come from anywhere, read without trusting it.
///
/// The bytes are given to SQLite in memory, so no file is made and none is changed. Only columns of
/// the table of entries can be read: views, virtual tables, triggers and functions that the file's
/// schema may define are refused before they run, and the work is bounded.
package enum IndexSnapshot {
  /// Bytes of an index, and of all texts of its entries together with 64 for each entry.
  package static let maxBytes = 64 << 20
  /// Instructions of SQLite's machine for the whole reading.
  static let maxInstructions = 50_000_000

  /// All entries by type and identifier.
  ///
  /// - Throws: ``SearchIndexError`` with the code `index-unreadable` when the bytes are no index of
  ///   this version, or one that goes beyond the limits.
  package static func entries(
    of bytes: [UInt8], name: String
  ) throws(SearchIndexError) -> [IndexUpdate.Entry] {
    func unreadable(_ reason: String) -> SearchIndexError {
      SearchIndexError(unreadable: name, reason)
    }
    guard !bytes.isEmpty, bytes.count <= maxBytes else {
      throw unreadable(bytes.isEmpty ? "it is empty" : "it has more than \(maxBytes) bytes")
    }
    let database = try UntrustedDatabase(bytes, name: name)
    var version: Int64 = 0
    try database.run("PRAGMA user_version") { version = sqlite3_column_int64($0, 0) }
    guard version == SearchIndex.schemaVersion else {
      throw unreadable("it has version \(version) of the schema, not \(SearchIndex.schemaVersion)")
    }
    var isTable = false
    try database.run(
      "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'entry' AND rootpage > 0"
    ) { _ in isTable = true }
    guard isTable else { throw unreadable("it has no table of entries") }
    database.allowsEntriesOnly()
    var entries: [IndexUpdate.Entry] = []
    var total = 0
    var isBroken = false
    try database.run("SELECT type, identifier, domain, fields FROM entry") { row in
      total += 64 + (0..<4).reduce(0) { $0 + Int(sqlite3_column_bytes(row, $1)) }
      guard total <= maxBytes, let type = text(row, 0), let identifier = text(row, 1),
        let fields = text(row, 3).flatMap({ try? WireJSON(reading: Array($0.utf8)) })?.members
      else {
        isBroken = true
        return
      }
      entries.append(
        IndexUpdate.Entry(
          type: type, identifier: identifier, domain: text(row, 2),
          fields: fields.compactMap { field in
            field.value.string.map { IndexUpdate.Field(field.key, $0) }
          }))
    }
    guard !isBroken else { throw unreadable("an entry is none, or the entries are too large") }
    return entries.sorted { ($0.type, $0.identifier) < ($1.type, $1.identifier) }
  }

  /// The text of a column; `nil` for NULL and for what is no text.
  private static func text(_ row: OpaquePointer?, _ column: Int32) -> String? {
    guard sqlite3_column_type(row, column) == SQLITE_TEXT,
      let bytes = sqlite3_column_text(row, column)
    else { return nil }
    let count = Int(sqlite3_column_bytes(row, column))
    return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
  }
}

/// A database in memory whose schema and pages may be hostile (https://sqlite.org/security.html).
private final class UntrustedDatabase {
  private var handle: OpaquePointer?
  private let name: String
  /// What the authorizer looks at.
  private let permission = UnsafeMutablePointer<Permission>.allocate(capacity: 1)

  private struct Permission {
    /// Whether reading the schema is over.
    var isEntriesOnly = false
  }

  init(_ bytes: [UInt8], name: String) throws(SearchIndexError) {
    self.name = name
    permission.initialize(to: Permission())
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_NOMUTEX
    guard sqlite3_open_v2(":memory:", &handle, flags, nil) == SQLITE_OK else { throw failure() }
    guard let copy = sqlite3_malloc64(UInt64(bytes.count)) else { throw failure() }
    bytes.withUnsafeBytes { source in
      copy.copyMemory(from: source.baseAddress ?? UnsafeRawPointer(copy), byteCount: source.count)
    }
    let count = Int64(bytes.count)
    let use = UInt32(SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_READONLY)
    guard
      sqlite3_deserialize(
        handle, "main", copy.assumingMemoryBound(to: UInt8.self), count, count, use) == SQLITE_OK
    else { throw failure() }
    limit()
    for pragma in ["trusted_schema = OFF", "cell_size_check = ON", "query_only = ON"] {
      try run("PRAGMA \(pragma)") { _ in }
    }
    sqlite3_set_authorizer(handle, authorize, permission)
  }

  deinit {
    sqlite3_close(handle)
    permission.deallocate()
  }

  func allowsEntriesOnly() { permission.pointee.isEntriesOnly = true }

  private func limit() {
    // A text that is longer is refused when it is read; the schema's statements are short.
    sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, Int32(IndexSnapshot.maxBytes))
    sqlite3_limit(handle, SQLITE_LIMIT_SQL_LENGTH, 100_000)
    sqlite3_limit(handle, SQLITE_LIMIT_COLUMN, 100)
    sqlite3_limit(handle, SQLITE_LIMIT_EXPR_DEPTH, 20)
    sqlite3_limit(handle, SQLITE_LIMIT_COMPOUND_SELECT, 3)
    sqlite3_limit(handle, SQLITE_LIMIT_VDBE_OP, 25_000)
    sqlite3_limit(handle, SQLITE_LIMIT_FUNCTION_ARG, 8)
    sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0)
    sqlite3_limit(handle, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 50)
    sqlite3_limit(handle, SQLITE_LIMIT_VARIABLE_NUMBER, 10)
    sqlite3_limit(handle, SQLITE_LIMIT_TRIGGER_DEPTH, 1)
    sqlite3_limit(handle, SQLITE_LIMIT_WORKER_THREADS, 0)
    // Interrupts a statement that takes so many instructions.
    sqlite3_progress_handler(
      handle, Int32(IndexSnapshot.maxInstructions), { _ in 1 }, nil)
  }

  /// Runs one statement.
  func run(_ sql: String, onRow: (OpaquePointer?) -> Void) throws(SearchIndexError) {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else {
      throw failure()
    }
    defer { sqlite3_finalize(statement) }
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW: onRow(statement)
      case SQLITE_DONE: return
      default: throw failure()
      }
    }
  }

  private func failure() -> SearchIndexError {
    SearchIndexError(
      unreadable: name, SQLiteFailure(handle).description, cause: SQLiteFailure(handle))
  }

  /// Lets columns of the schema and of the entries be read, and nothing else be done.
  private let authorize:
    @convention(c) (
      UnsafeMutableRawPointer?, Int32, UnsafePointer<CChar>?, UnsafePointer<CChar>?,
      UnsafePointer<CChar>?, UnsafePointer<CChar>?
    ) -> Int32 = { context, action, first, second, database, trigger in
      let isEntriesOnly =
        context?.assumingMemoryBound(to: Permission.self).pointee.isEntriesOnly ?? true
      // Something of the schema, not the statement itself, asks for it.
      guard trigger == nil else { return SQLITE_DENY }
      let name = first.map { String(cString: $0) } ?? ""
      switch action {
      case SQLITE_SELECT: return SQLITE_OK
      case SQLITE_READ where isEntriesOnly: return name == "entry" ? SQLITE_OK : SQLITE_DENY
      case SQLITE_READ: return name.hasPrefix("sqlite_") ? SQLITE_OK : SQLITE_DENY
      case SQLITE_PRAGMA where !isEntriesOnly:
        return name == "user_version" && second == nil ? SQLITE_OK : SQLITE_DENY
      default: return SQLITE_DENY
      }
    }
}
