import CSQLite
import Glibc
import IntentWire
import SearchIndex

// Prints, for ci/bench: processor seconds for 10,000 entries, and the median seconds of a query by
// SearchIndex and by SQLite alone with the same words, the same rows read.

func seconds(_ clock: clockid_t) -> Double {
  var time = timespec()
  clock_gettime(clock, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

let words = ["alpha", "bravo", "charlie", "delta", "echo", "foxtrot", "golf", "hotel", "india"]

func text(_ number: Int) -> String {
  let picked = (0..<8).map { words[(number * 7 + $0 * $0 * 3) % words.count] }
  return "Note \(number) " + picked.joined(separator: " ") + " 東京の計画\(number % 100)"
}

let path = CommandLine.arguments[1]
unlink(path)
try SearchIndex.createEmpty(at: path)
let index = try SearchIndex(path: path)
let entries = (0..<10_000).map {
  IndexUpdate.Entry(
    type: "NoteEntity", identifier: "note-\($0)", domain: nil,
    fields: [.init("title", text($0)), .init("contentDescription", text($0 + 1))])
}
let before = seconds(CLOCK_PROCESS_CPUTIME_ID)
try index.apply(.upsert(entries))
print("insert: \(seconds(CLOCK_PROCESS_CPUTIME_ID) - before)")

// What people search for: numbers that few entries have.
let queries = (0..<500).map { "\(1000 + $0 * 17)" }
var own: [Double] = []
var bare: [Double] = []
var handle: OpaquePointer?
sqlite3_open_v2(path, &handle, SQLITE_OPEN_READONLY, nil)
var statement: OpaquePointer?
let sql = """
  SELECT type, identifier FROM search JOIN entry ON entry.row = search.rowid
  WHERE search MATCH ?1 AND type = ?2 ORDER BY rank, entry.row LIMIT 1000
  """
sqlite3_prepare_v2(handle, sql, -1, &statement, nil)
let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
var found = (own: 0, bare: 0)
for query in queries + queries {
  var start = seconds(CLOCK_MONOTONIC)
  found.own += try index.search(query, type: "NoteEntity").count
  own.append(seconds(CLOCK_MONOTONIC) - start)
  let match = query.split(separator: " ").map { "\"\($0)\" *" }.joined(separator: " AND ")
  start = seconds(CLOCK_MONOTONIC)
  sqlite3_bind_text(statement, 1, match, -1, transient)
  sqlite3_bind_text(statement, 2, "NoteEntity", -1, transient)
  while sqlite3_step(statement) == SQLITE_ROW {
    found.bare += sqlite3_column_bytes(statement, 1) > 0 ? 1 : 0
  }
  sqlite3_reset(statement)
  bare.append(seconds(CLOCK_MONOTONIC) - start)
}
guard found.own == found.bare, found.own > 0 else { fatalError("other results: \(found)") }
print("query: \(median(own))")
print("bare: \(median(bare))")
sqlite3_finalize(statement)
sqlite3_close(handle)
