import Glibc
import RunModel
import SystemFiles
import TestSupport
import Testing

@testable import Evidence

/// What is left in a bundle of secrets that were all over the place.
@Suite struct BundleRedactionTests {
  private let secrets = PlantedSecrets.all

  private func search() throws -> SecretSearch {
    try SecretSearch(RedactionOptions(), environment: ["NOTES_TOKEN": PlantedSecrets.variable])
  }

  /// All lines, and the value of the variable.
  private var text: String {
    secrets.map(\.line).joined(separator: "\n") + "\n\(PlantedSecrets.variable)\n"
  }

  private func contents(_ scratch: Scratch) throws -> BundleContents {
    let log = Array(String(repeating: "a line of the log\n", count: 40_000).utf8)
    try scratch.write("out.log", log + Array(text.utf8) + log)
    try scratch.write("box/home/notes.txt", text)
    // Between bytes that are no text, at all places of a page.
    var binary: [UInt8] = []
    for (number, secret) in secrets.enumerated() {
      binary += [UInt8](repeating: UInt8(number), count: 600_000 / secrets.count)
      binary += [0] + Array(secret.line.utf8) + [0]
    }
    try scratch.write("box/home/data.bin", binary)
    let token = try #require(secrets.first { $0.rule == "github-token" }).text
    try scratch.write("box/home/\(token)/inside", "text")
    try scratch.write("box/home/plain/\(token).txt", "text")
    symlink("/srv/\(token)", "\(scratch.path)/box/home/link")
    var manifest = BundleManifest.sample()
    manifest.issues = secrets.map { TestIssue(message: "expected '\($0.line)'\nfound nothing") }
    manifest.reason = text
    let journal = secrets.map {
      "{\"parameters\":{\"text\":\(String(decoding: jsonString($0.line), as: UTF8.self))}}\n"
    }
    return BundleContents(
      manifest: manifest,
      entries: [
        .init("container", .item("\(scratch.path)/box")),
        .init("logs/stdout.log", .item("\(scratch.path)/out.log")),
        .init("journal.jsonl", .bytes(Array(journal.joined().utf8))),
        .init("hang.txt", .bytes(Array(text.utf8)), removed: ["mine": 2]),
        .init("selection", .bytes([1, 2, 3])),
      ], redaction: .secrets(try search()))
  }

  @Test func whatIsLeftOutIsNoted() throws {
    let scratch = try Scratch()
    let contents = BundleContents(
      manifest: .sample(), entries: [.init("index.sqlite", .omitted(reason: "it is a test"))])
    try FailureBundle.write(contents, to: "\(scratch.path)/b")
    let check = try BundleReader(path: "\(scratch.path)/b").verify()
    #expect(check.isWhole)
    #expect(
      check.notes.map { "\($0.path.displayName) \($0.kind.rawValue) \($0.message)" } == [
        "index.sqlite excluded left out: it is a test"
      ])
  }

  @Test(arguments: BundleCompression.allCases)
  func nothingIsLeft(_ compression: BundleCompression) throws {
    let scratch = try Scratch()
    var contents = try contents(scratch)
    contents.removedVariables = ["B", "A"]
    let path = "\(scratch.path)/b"
    try FailureBundle.write(contents, to: path, compression: compression)
    let bundle = BundleReader(path: path)
    let check = try bundle.verify()
    #expect(check.isWhole, "\(check.problems)")
    var all: [UInt8] = []
    for entry in try bundle.entries() {
      all += entry.path.bytes + (entry.linkTarget?.bytes ?? [])
      if entry.kind == .file {
        all += try bundle.read(try #require(entry.path.text))
      }
    }
    let texts = secrets.map(\.text) + [PlantedSecrets.variable]
    for text in texts {
      let isThere = contains(all, text)
      #expect(!isThere, "\(text)")
    }

    let report = try #require(try bundle.redactions())
    #expect(report.isEnabled && report.variables == ["A", "B"] && report.otherEntries == 0)
    #expect(report.rules.values.reduce(0, +) == report.total)
    let sums = report.entries.reduce(into: [String: Int]()) {
      $0.merge($1.rules) { $0 + $1 }
    }
    #expect(sums == report.rules)
    let counts = Dictionary(
      uniqueKeysWithValues: report.entries.map { ($0.path ?? "", $0.rules.values.reduce(0, +)) })
    #expect(counts["logs/stdout.log"] == secrets.count + 1)
    #expect(counts["container/home/notes.txt"] == secrets.count + 1)
    #expect(counts["container/home/data.bin"] == secrets.count)
    #expect(counts["journal.jsonl"] == secrets.count)
    #expect(counts["manifest.json"] == 2 * secrets.count + 1)
    #expect(counts["hang.txt"] == secrets.count + 1 + 2)
    #expect(counts["container/home/link"] == 1)
    #expect(counts["selection"] == nil)
    // Names with a secret, and all below them, are left out.
    let left = check.notes.filter { $0.message.contains("secret") }
    #expect(left.map(\.kind) == [.excluded, .excluded, .excluded])
    let hidden = "[redacted: github-token]****************"
    #expect(
      Set(left.map(\.path.displayName)) == [
        "container/home/\(hidden)", "container/home/plain/\(hidden).txt", "container/home/link",
      ])
    // Files have as many bytes as before.
    let data = try bundle.read("container/home/data.bin")
    #expect(try data.count == scratch.bytes("box/home/data.bin").count)
    let last = try bundle.entries().suffix(3).map(\.path.displayName)
    #expect(last == ["selection", "redactions.json", "contents.json"])
  }

  private func contains(_ bytes: [UInt8], _ text: String) -> Bool {
    let text = Array(text.utf8)
    return bytes.withUnsafeBytes { bytes in
      var rest = UnsafeRawBufferPointer(bytes)
      while rest.count >= text.count, let begin = rest.baseAddress,
        let found = memchr(begin, Int32(text[0]), rest.count - text.count + 1)
      {
        if memcmp(found, text, text.count) == 0 { return true }
        rest = UnsafeRawBufferPointer(
          start: found + 1, count: rest.count - (UnsafeRawPointer(found) - begin) - 1)
      }
      return false
    }
  }

  @Test func theSameBytesComeOut() throws {
    let scratch = try Scratch()
    let contents = try contents(scratch)
    try FailureBundle.write(contents, to: "\(scratch.path)/1", compression: .zstd)
    try FailureBundle.write(contents, to: "\(scratch.path)/2", compression: .zstd)
    #expect(try scratch.bytes("1") == scratch.bytes("2"))
  }

  @Test func aBundleSaysThatNothingWasTakenOut() throws {
    let scratch = try Scratch()
    var contents = try contents(scratch)
    contents.redaction = .off
    try FailureBundle.write(contents, to: "\(scratch.path)/b")
    let bundle = BundleReader(path: "\(scratch.path)/b")
    let report = try #require(try bundle.redactions())
    #expect(!report.isEnabled && report.total == 2 && report.rules == ["mine": 2])
    #expect(try bundle.read("container/home/notes.txt") == Array(text.utf8))
    contents.redaction = nil
    try FailureBundle.write(contents, to: "\(scratch.path)/c")
    #expect(try BundleReader(path: "\(scratch.path)/c").redactions() == nil)
  }

  /// A pattern that takes the quotation marks makes no bundle that cannot be read.
  @Test func aManifestStaysReadable() throws {
    let scratch = try Scratch()
    var options = RedactionOptions()
    options.patterns = [.init(id: "mine", text: #"verdict" : "failed"#)]
    var contents = BundleContents(manifest: .sample(), entries: [])
    contents.redaction = .secrets(try SecretSearch(options, environment: [:]))
    do {
      try FailureBundle.write(contents, to: "\(scratch.path)/b")
      Issue.record("the bundle was written")
    } catch let error as EvidenceError {
      #expect(error.code == .invalidContents)
    }
    #expect(access("\(scratch.path)/b", F_OK) != 0)
  }

  /// Databases can be read as before: no byte more or less, and none of their own structures.
  @Test func aDatabaseStaysWhole() async throws {
    let scratch = try Scratch()
    try scratch.write("box/x", "")
    let script = """
      import sqlite3, sys
      db = sqlite3.connect(sys.argv[1])
      db.execute("CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT)")
      for line in sys.argv[2].splitlines():
        for _ in range(20): db.execute("INSERT INTO note (text) VALUES (?)", (line,))
      db.execute("CREATE INDEX place ON note (text, id)")
      db.commit()
      db.execute("DELETE FROM note WHERE id % 3 = 0")
      db.commit()
      """
    let made = try await runProcess([
      "python3", "-c", script, "\(scratch.path)/box/app.db", text,
    ])
    #expect(made.status == 0, "\(made.errorText)")
    try FailureBundle.write(
      BundleContents(
        manifest: .sample(), entries: [.init("container", .item("\(scratch.path)/box"))],
        redaction: .secrets(try search())), to: "\(scratch.path)/b")
    let bytes = try BundleReader(path: "\(scratch.path)/b").read("container/app.db")
    for secret in secrets {
      let isThere = contains(bytes, secret.text)
      #expect(!isThere, "\(secret.text)")
    }
    try scratch.write("out.db", bytes)
    let check = try await runProcess([
      "python3", "-c",
      """
      import sqlite3, sys
      db = sqlite3.connect(sys.argv[1])
      db.execute("REINDEX")
      assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
      count = "SELECT count(*) FROM note"
      count += " WHERE text LIKE '%*%' OR text LIKE '%[redacted: %'"
      print(db.execute(count).fetchone()[0])
      """, "\(scratch.path)/out.db",
    ])
    #expect(check.status == 0, "\(check.errorText)")
    #expect(check.text == "\((secrets.count + 1) * 20 - (secrets.count + 1) * 20 / 3)\n")
  }

  /// The log of a database whose process ended before its pages were in the database.
  @Test func aWriteAheadLogStaysWhole() async throws {
    let scratch = try Scratch()
    try scratch.write("box/x", "")
    let script = """
      import os, sqlite3, sys
      db = sqlite3.connect(sys.argv[1])
      db.execute("PRAGMA journal_mode = wal")
      db.execute("PRAGMA wal_autocheckpoint = 0")
      db.execute("CREATE TABLE note (place TEXT, text TEXT)")
      for line in sys.argv[2].splitlines():
        db.execute("INSERT INTO note VALUES ('aws', ?)", (line,))
        db.commit()
      os._exit(0)
      """
    let made = try await runProcess([
      "python3", "-c", script, "\(scratch.path)/box/app.db", text,
    ])
    #expect(made.status == 0, "\(made.errorText)")
    try FailureBundle.write(
      BundleContents(
        manifest: .sample(), entries: [.init("container", .item("\(scratch.path)/box"))],
        redaction: .secrets(try search())), to: "\(scratch.path)/b")
    let reader = BundleReader(path: "\(scratch.path)/b")
    let log = try reader.read("container/app.db-wal")
    for secret in secrets {
      let isThere = contains(log, secret.text)
      #expect(!isThere, "\(secret.text)")
    }
    try scratch.write("out.db", try reader.read("container/app.db"))
    try scratch.write("out.db-wal", log)
    let check = try await runProcess([
      "python3", "-c",
      """
      import sqlite3, sys
      db = sqlite3.connect(sys.argv[1])
      assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
      print(db.execute("SELECT count(*) FROM note WHERE place = 'aws'").fetchone()[0])
      """, "\(scratch.path)/out.db",
    ])
    #expect(check.status == 0, "\(check.errorText)")
    #expect(check.text == "\(text.split(separator: "\n").count)\n")
  }
}
