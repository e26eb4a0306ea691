import RunModel

/// Reads the text of `contents.json` in pieces, keeping one line at a time.
struct ContentsListReader {
  /// What a line says.
  enum Item {
    case entry(ContentsEntry)
    case note(ContentsNote)
  }

  private enum Section { case start, entries, notes, unknown, end }

  /// Longest line that is taken: two names with every byte escaped, and the rest of an entry.
  private static let maxLineBytes = 1 << 20

  private var section = Section.start
  private var line: [UInt8] = []
  private var hash = SHA256Box()
  /// What is wrong with the list, as one sentence; nothing more is read then.
  private(set) var problem: String?
  /// SHA-256 of all lines but the last, in hexadecimal; `nil` until the list was whole.
  private(set) var digest: String?

  /// Takes the next bytes of the text and hands out the lines that are complete.
  ///
  /// - Throws: ``EvidenceError`` with the code `newer-format`, and what `body` throws.
  mutating func feed(_ bytes: some Sequence<UInt8>, _ body: (Item) throws -> Void) throws {
    for byte in bytes where problem == nil {
      line.append(byte)
      if line.count > Self.maxLineBytes { problem = "a line is too long" }
      guard byte == 10 else { continue }
      try take(body)
      line.removeAll(keepingCapacity: true)
    }
  }

  /// Says whether the text was whole; call at its end.
  mutating func finish() {
    if problem == nil, section != .end || !line.isEmpty { problem = "it ends early" }
  }

  private mutating func take(_ body: (Item) throws -> Void) throws {
    let text = line.dropLast()
    if section == .end {
      problem = "something follows its end"
    } else if section == .start {
      try takeFirst(text)
    } else if text.starts(with: Array("],\"sha256\":".utf8)) {
      takeLast(text)
      return
    } else if text.starts(with: Array("],\"".utf8)), text.last == UInt8(ascii: "[") {
      section = text.elementsEqual("],\"notes\":[".utf8) ? .notes : .unknown
    } else {
      try takeItem(text, body)
    }
    hash.update(line)
  }

  private mutating func takeFirst(_ text: ArraySlice<UInt8>) throws {
    struct First: Decodable { var format: FormatVersion }
    guard text.last == UInt8(ascii: "["),
      let first = try? decodedJSON(First.self, from: text + Array("]}".utf8))
    else { return problem = "its first line is broken" }
    try checkFormat(first.format, reading: bundleFormat, name: "the list of contents")
    section = .entries
  }

  private mutating func takeLast(_ text: ArraySlice<UInt8>) {
    let found = hexadecimal(hash.finish())
    let expected = Array("],\"sha256\":\"\(found)\"}".utf8)
    if text.elementsEqual(expected) {
      digest = found
      section = .end
    } else {
      problem = "its own digest does not match"
    }
  }

  private mutating func takeItem(
    _ text: ArraySlice<UInt8>, _ body: (Item) throws -> Void
  ) throws {
    let json = text.last == UInt8(ascii: ",") ? text.dropLast() : text
    switch section {
    case .entries:
      guard let read = try? decodedJSON(EntryLine.self, from: json), let entry = read.entry else {
        return problem = "the line of an entry is broken"
      }
      try body(.entry(entry))
    case .notes:
      guard let read = try? decodedJSON(NoteLine.self, from: json), let note = read.value else {
        return problem = "the line of a note is broken"
      }
      try body(.note(note))
    case .start, .unknown, .end: break
    }
  }
}

/// Keeps a digest in progress inside of a copyable value.
private final class SHA256Box {
  private var hash = SHA256()

  func update(_ bytes: [UInt8]) { hash.update(bytes) }
  func finish() -> [UInt8] { hash.finish() }
}

private struct EntryLine: Decodable {
  var path: String?
  var pathBytes: String?
  var type: String
  var mode: String
  var size: Int?
  var target: String?
  var targetBytes: String?
  var mtime: Int?
  var mtimeNanoseconds: Int?
  var sha256: String?

  var entry: ContentsEntry? {
    guard let path = name(path, pathBytes), let mode = UInt16(mode, radix: 8) else { return nil }
    var modified: Timestamp?
    if let mtime {
      let nanoseconds = mtimeNanoseconds ?? 0
      guard (0..<1_000_000_000).contains(nanoseconds) else { return nil }
      modified = Timestamp(seconds: mtime, nanoseconds: nanoseconds)
    }
    return ContentsEntry(
      path: path, kind: ArchiveEntryKind(rawValue: type) ?? .other, mode: mode, size: size ?? 0,
      linkTarget: name(target, targetBytes), modified: modified, sha256: sha256)
  }
}

private struct NoteLine: Decodable {
  var path: String?
  var pathBytes: String?
  var note: String
  var type: String
  var message: String

  /// A kind that a newer version made up counts as `changed`: the message says what it is.
  var value: ContentsNote? {
    guard let path = name(path, pathBytes) else { return nil }
    return ContentsNote(
      path: path, kind: ContentsNote.Kind(rawValue: note) ?? .changed,
      type: ArchiveEntryKind(rawValue: type) ?? .other, message: message)
  }
}

private func name(_ text: String?, _ encoded: String?) -> ByteName? {
  text.map { ByteName($0) } ?? encoded.flatMap { ByteName(percentEncoded: $0) }
}
