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

  func insert(_ text: String) throws -> Int {
    let run = unsafeBitCast(dlsym(library, "sqlite3_exec"), to: Run.self)
    if handle == nil {
      let documents = FileManager.default.urls(for: .documentDirectory, in: .userDomainMask)[0]
      try FileManager.default.createDirectory(at: documents, withIntermediateDirectories: true)
      let open = unsafeBitCast(dlsym(library, "sqlite3_open"), to: Open.self)
      _ = open(documents.appendingPathComponent("cache.sqlite").path, &handle)
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
