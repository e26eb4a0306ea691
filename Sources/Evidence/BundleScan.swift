/// Sees everything of a bundle that a scan goes through, in the archive's order.
protocol BundleVisitor: AnyObject {
  func begin(_ entry: BundleEntry) throws
  func data(_ bytes: UnsafeRawBufferPointer) throws
  /// - Parameter isComplete: Whether all of the entry's bytes came.
  func end(_ entry: BundleEntry, isComplete: Bool) throws
  /// An entry as the list of contents describes it.
  func listed(_ entry: ContentsEntry) throws
}

/// Goes once through a bundle, compares it with its list of contents and lets a visitor see it.
struct BundleScan: ~Copyable {
  /// An entry as it was read.
  private struct Seen {
    var entry: BundleEntry
    var sha256: String?
  }

  /// Tells what the archive is to blame for from what the visitor throws.
  private struct ReadingFailure: Error { var error: EvidenceError }

  private let bundle: BundleReader
  private let visitor: (any BundleVisitor)?
  private var check = BundleCheck()
  private var seen: [Seen] = []
  /// Entries that the list of contents named so far.
  private var listed = 0
  private var hasList = false

  init(_ bundle: BundleReader, visitor: (any BundleVisitor)? = nil) {
    self.bundle = bundle
    self.visitor = visitor
  }

  /// Reads the bundle to its end, or to where it cannot be read any further.
  ///
  /// - Throws: ``EvidenceError`` with the code `not-found`, `unreadable` or `newer-format`, and
  ///   what the visitor throws. Everything else is a problem of the check.
  consuming func run() throws -> BundleCheck {
    do {
      let reader = try reading { try TarReader(path: bundle.path, limits: bundle.limits) }
      while let entry = try reading({ try reader.next() }) {
        if check.completeEntries == 0 {
          guard try readManifest(entry, from: reader) else { return check }
        } else if hasList {
          check.add(.afterList, entry.path, "follows the list of contents")
          try readFile(entry, from: reader)
        } else if entry.path == ByteName(BundlePaths.contents) {
          try readList(entry, from: reader)
        } else {
          try readFile(entry, from: reader)
        }
        count(entry)
      }
      if check.completeEntries == 0 {
        check.add(.noManifest, nil, "its first entry is not \(BundlePaths.manifest)")
      } else if !hasList {
        check.add(.noList, nil, "there is no list of contents at the end")
      }
    } catch let failure as ReadingFailure {
      let error = failure.error
      let code: BundleCheck.Problem.Code =
        switch error.code {
        case .cutOff: .cutOff
        case .malformed: .damaged
        case .notABundle: .noManifest
        case .limit: .limit
        default: throw error
        }
      if let reason = error.context["reason"] {
        check.addEnd(.noManifest, nil, reason)
      } else {
        check.addEnd(code, check.cutEntry, error.description)
      }
    }
    return check
  }

  private func reading<T>(_ body: () throws -> T) throws -> T {
    do { return try body() } catch let error as EvidenceError {
      throw ReadingFailure(error: error)
    }
  }

  private mutating func count(_ entry: BundleEntry) {
    check.completeEntries += 1
    check.completeBytes += entry.size
    check.lastEntry = entry.path
  }

  /// Reads the first entry; `false` when it is no manifest, then nothing else is looked at.
  private mutating func readManifest(_ entry: BundleEntry, from reader: TarReader) throws -> Bool {
    guard entry.path == ByteName(BundlePaths.manifest), entry.kind == .file else {
      check.add(.noManifest, nil, "its first entry is not \(BundlePaths.manifest)")
      return false
    }
    check.cutEntry = entry.path
    let bytes = try reading { try reader.readData(maxBytes: bundle.limits.manifestBytes) }
    check.cutEntry = nil
    do {
      try bundle.form.takeManifest(bytes, bundle.path, &check)
    } catch let error as EvidenceError where error.code == .malformed {
      check.add(.noManifest, entry.path, error.description)
      return false
    } catch let error as EvidenceError where error.code == .notABundle {
      check.add(.noManifest, nil, error.context["reason"] ?? error.description)
      return false
    }
    seen.append(Seen(entry: entry, sha256: hexadecimal(SHA256.digest(of: bytes))))
    try visitor?.begin(entry)
    try bytes.withUnsafeBytes { try visitor?.data($0) }
    try visitor?.end(entry, isComplete: true)
    return true
  }

  private mutating func readFile(_ entry: BundleEntry, from reader: TarReader) throws {
    var hash = SHA256()
    try readData(entry, from: reader) { hash.update($0) }
    let digest = entry.kind == .file ? hexadecimal(hash.finish()) : nil
    seen.append(Seen(entry: entry, sha256: digest))
  }

  private mutating func readList(_ entry: BundleEntry, from reader: TarReader) throws {
    hasList = true
    guard entry.kind == .file, entry.size <= bundle.limits.contentsBytes else {
      check.add(.brokenList, entry.path, "the list of contents is no file or is too large")
      return
    }
    var list = ContentsListReader()
    var items: [ContentsListReader.Item] = []
    try readData(entry, from: reader) { bytes in
      try list.feed(bytes) { items.append($0) }
    } afterPiece: { scan in
      for item in items { try scan.take(item) }
      items.removeAll(keepingCapacity: true)
    }
    list.finish()
    check.digest = list.digest
    if let problem = list.problem {
      check.add(.brokenList, entry.path, "the list of contents is broken: \(problem)")
      return
    }
    for extra in seen.dropFirst(listed) {
      check.add(.unlisted, extra.entry.path, "is not in the list of contents")
    }
  }

  /// Hands an entry's bytes to the visitor and to a body.
  private mutating func readData(
    _ entry: BundleEntry, from reader: TarReader,
    _ body: (UnsafeRawBufferPointer) throws -> Void,
    afterPiece: (inout BundleScan) throws -> Void = { _ in }
  ) throws {
    try visitor?.begin(entry)
    check.cutEntry = entry.path
    var buffer = [UInt8](repeating: 0, count: min(max(entry.size, 1), 1 << 18))
    while true {
      let count: Int
      do {
        count = try reading {
          try buffer.withUnsafeMutableBytes { try reader.readData(into: $0) }
        }
      } catch {
        try visitor?.end(entry, isComplete: false)
        throw error
      }
      if count == 0 { break }
      try buffer.withUnsafeBytes { bytes in
        let piece = UnsafeRawBufferPointer(rebasing: bytes[..<count])
        try visitor?.data(piece)
        try body(piece)
      }
      try afterPiece(&self)
    }
    check.cutEntry = nil
    try visitor?.end(entry, isComplete: true)
  }

  /// Compares a line of the list with the entry that the archive has in its place.
  private mutating func take(_ item: ContentsListReader.Item) throws {
    let expected: ContentsEntry
    switch item {
    case .note(let note):
      check.notes.append(note)
      return
    case .entry(let entry): expected = entry
    }
    defer { listed += 1 }
    guard listed < seen.count else {
      check.add(.missing, expected.path, "is in the list of contents but not in the archive")
      return
    }
    let actual = seen[listed]
    if actual.entry.path != expected.path {
      check.add(
        .different, actual.entry.path,
        "is where the list of contents has '\(expected.path.displayName)'")
    } else if let difference = difference(actual, expected) {
      check.add(.different, expected.path, difference)
    }
    try visitor?.listed(expected)
  }

  private func difference(_ actual: Seen, _ expected: ContentsEntry) -> String? {
    let entry = actual.entry
    if entry.kind != expected.kind {
      return "is a \(entry.kind.rawValue), the list of contents says \(expected.kind.rawValue)"
    }
    if entry.size != expected.size {
      return "has \(entry.size) bytes, the list of contents says \(expected.size)"
    }
    if entry.linkTarget != expected.linkTarget {
      return "leads elsewhere than the list of contents says"
    }
    if entry.mode != expected.mode {
      return "has other permissions than the list of contents says"
    }
    if actual.sha256 != expected.sha256 {
      return "has other bytes than the list of contents says"
    }
    return nil
  }
}

extension BundleReader {
  /// Reads the whole bundle and says whether it is whole, or what of it is.
  ///
  /// A bundle is whole when its first entry is a manifest, its last entry a list of contents that
  /// agrees with every entry before it, and nothing follows.
  ///
  /// - Throws: ``EvidenceError`` with the code `not-found`, `unreadable` or `newer-format`. Any
  ///   other damage is a problem of the result.
  package func verify() throws -> BundleCheck {
    try BundleScan(self).run()
  }

  /// Does what ``verify()`` does, and hands out the entries on the way, in their order, the
  /// manifest and the list of contents included; of a damaged bundle those up to the damage.
  package func verify(_ body: @escaping (BundleEntry) throws -> Void) throws -> BundleCheck {
    try BundleScan(self, visitor: EntryVisitor(body)).run()
  }
}

/// Sees the entries only.
private final class EntryVisitor: BundleVisitor {
  private let body: (BundleEntry) throws -> Void

  init(_ body: @escaping (BundleEntry) throws -> Void) { self.body = body }

  func begin(_ entry: BundleEntry) throws { try body(entry) }
  func data(_ bytes: UnsafeRawBufferPointer) throws {}
  func end(_ entry: BundleEntry, isComplete: Bool) throws {}
  func listed(_ entry: ContentsEntry) throws {}
}
