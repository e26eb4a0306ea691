import AppIntents
import CoreSpotlight
import Foundation

/// Writes a row into a database that stays open, in the mode in which the newest rows are in a file
/// of their own (https://www.sqlite.org/wal.html), and answers with the number of rows.
struct Remember: AppIntent {
  static let title: LocalizedStringResource = "Remember"
  @Parameter(title: "Text") var text: String

  func perform() async throws -> some IntentResult & ReturnsValue<Int> {
    .result(value: try Database.shared.insert(text))
  }
}

/// SQLite by its functions in C; the app declares no dependency on it.
final class Database: @unchecked Sendable {
  static let shared = Database()

  private typealias Open =
    @convention(c) (UnsafePointer<CChar>, UnsafeMutablePointer<OpaquePointer?>) -> Int32
  private typealias Row =
    @convention(c) (
      UnsafeMutableRawPointer?, Int32, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
      UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
    ) -> Int32
  private typealias Run =
    @convention(c) (
      OpaquePointer?, UnsafePointer<CChar>, Row?, UnsafeMutableRawPointer?,
      UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
    ) -> Int32

  private let library = dlopen("libsqlite3.so.0", RTLD_NOW)
  private var handle: OpaquePointer?
  private lazy var run = unsafeBitCast(dlsym(library, "sqlite3_exec"), to: Run.self)

  private func open(_ folder: FileManager.SearchPathDirectory) throws -> String {
    let folder = FileManager.default.urls(for: folder, in: .userDomainMask)[0]
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let path = folder.appendingPathComponent("cache.sqlite").path
    let open = unsafeBitCast(dlsym(library, "sqlite3_open"), to: Open.self)
    guard open(path, &handle) == 0 else { throw StoreError.empty }
    return path
  }

  func insert(_ text: String) throws -> Int {
    if handle == nil {
      _ = try open(.documentDirectory)
      _ = run(handle, "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0", nil, nil, nil)
      _ = run(handle, "CREATE TABLE IF NOT EXISTS note (text TEXT)", nil, nil, nil)
    }
    let quoted = text.replacingOccurrences(of: "'", with: "''")
    guard run(handle, "INSERT INTO note VALUES ('\(quoted)')", nil, nil, nil) == 0 else {
      throw StoreError.empty
    }
    var count = 0
    withUnsafeMutablePointer(to: &count) { pointer in
      _ = run(
        handle, "SELECT count(*) FROM note",
        { target, _, values, _ in
          target?.assumingMemoryBound(to: Int.self).pointee =
            values?[0].flatMap { Int(String(cString: $0)) } ?? -1
          return 0
        }, pointer, nil)
    }
    return count
  }

  /// What came of ``hold()``: the number of the file's inode, and what went wrong.
  nonisolated(unsafe) static var started: (inode: UInt64, problem: String)?

  /// Writes for 2 s in one transaction, and waits for nobody who has locked the database: that is
  /// how a connection is without a busy timeout (https://www.sqlite.org/c3ref/busy_timeout.html).
  static func hold() {
    let database = Database()
    var problem = ""
    func run(_ sql: String) {
      var message: UnsafeMutablePointer<CChar>?
      if database.run(database.handle, sql, nil, nil, &message) != 0, problem.isEmpty {
        problem = message.map { String(cString: $0) } ?? "unknown"
      }
    }
    let path = (try? database.open(.applicationSupportDirectory)) ?? ""
    run("BEGIN IMMEDIATE; CREATE TABLE IF NOT EXISTS entry (number INTEGER)")
    let end = ContinuousClock.now + .seconds(2)
    var number = 0
    while ContinuousClock.now < end, problem.isEmpty {
      number += 1
      run("INSERT INTO entry VALUES (\(number))")
    }
    run("COMMIT")
    var status = stat()
    started = (stat(path, &status) == 0 ? UInt64(status.st_ino) : 0, problem)
    held = database
  }

  /// Stays open.
  nonisolated(unsafe) private static var held: Database?
}

/// Writes so many keys to the standard defaults and answers with how many of them were there.
struct WriteDefaults: AppIntent {
  static let title: LocalizedStringResource = "Write Defaults"
  @Parameter(title: "Count") var count: Int

  func perform() async throws -> some IntentResult & ReturnsValue<[Int]> {
    func known() -> Int {
      (0..<count).filter { UserDefaults.standard.object(forKey: "key\($0)") != nil }.count
    }
    let before = known()
    for number in 0..<count { UserDefaults.standard.set(getpid(), forKey: "key\(number)") }
    UserDefaults.standard.synchronize()
    return .result(value: [before, known()])
  }
}

/// Forgets a note without telling the index.
struct ForgetNote: AppIntent {
  static let title: LocalizedStringResource = "Forget Note"
  @Parameter(title: "Note") var note: NoteEntity
  @Dependency var store: Store

  func perform() async throws -> some IntentResult {
    store.notes[note.id] = nil
    return .result()
  }
}

/// Gives a note another title without telling the index.
struct RetitleNote: AppIntent {
  static let title: LocalizedStringResource = "Retitle Note"
  @Parameter(title: "Note") var note: NoteEntity
  @Parameter(title: "Title") var title: String
  @Dependency var store: Store

  func perform() async throws -> some IntentResult {
    store.notes[note.id] = NoteEntity(
      id: note.id, title: title, color: note.color, tags: note.tags)
    return .result()
  }
}

struct ClearIndex: AppIntent {
  static let title: LocalizedStringResource = "Clear Index"

  func perform() async throws -> some IntentResult {
    try await CSSearchableIndex.default().deleteAllSearchableItems()
    return .result()
  }
}

struct Reverse: AppIntent {
  static let title: LocalizedStringResource = "Reverse"
  @Parameter(title: "File") var file: IntentFile

  func perform() async throws -> some IntentResult & ReturnsValue<IntentFile> {
    .result(
      value: IntentFile(data: Data(file.data.reversed()), filename: "reversed " + file.filename))
  }
}

/// Answers with the number of the inode of the database that the app writes to when it starts, and
/// with what went wrong then.
struct StartedDatabase: AppIntent {
  static let title: LocalizedStringResource = "Started Database"

  func perform() async throws -> some IntentResult & ReturnsValue<[String]> {
    guard let result = Database.started else { throw StoreError.empty }
    return .result(value: ["\(result.inode)", result.problem])
  }
}

/// Answers with which of the notes and files of the app are there, then leaves one of each.
struct LeaveTraces: AppIntent {
  static let title: LocalizedStringResource = "Leave Traces"
  @Parameter(title: "File") var file: String
  @Dependency var store: Store

  func perform() async throws -> some IntentResult & ReturnsValue<[String]> {
    let documents = FileManager.default.urls(for: .documentDirectory, in: .userDomainMask)[0]
    try FileManager.default.createDirectory(at: documents, withIntermediateDirectories: true)
    let files = try FileManager.default.contentsOfDirectory(atPath: documents.path)
    let found = store.sorted.map(\.title) + files.sorted()
    let note = NoteEntity(id: file, title: "Trace of \(file)")
    store.notes[file] = note
    try await CSSearchableIndex.default().indexAppEntities([note])
    try Data(file.utf8).write(to: documents.appendingPathComponent(file))
    return .result(value: found)
  }
}
