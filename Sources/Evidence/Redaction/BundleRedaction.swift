import Glibc

/// Takes the secrets out of what one packer packs, and counts them.
final class BundleRedaction {
  private let search: SecretSearch?
  /// For the bytes of files, and for names; a scanner has memory of its own.
  private let scanner: SecretScanner?
  private let nameScanner: SecretScanner?
  private(set) var report: RedactionReport

  /// - Throws: ``EvidenceError`` with the code `out-of-memory`, as all that takes bytes or names.
  init(_ choice: BundleRedactionChoice, variables: [String]) throws {
    let search: SecretSearch? =
      switch choice {
      case .off: nil
      case .secrets(let search): search
      }
    self.search = search
    scanner = try search.map { try SecretScanner($0) }
    nameScanner = try search.map { try SecretScanner($0) }
    report = RedactionReport(isEnabled: search != nil)
    report.variables = variables.sorted()
  }

  /// Adds what was taken out already.
  func add(_ path: ByteName, _ counts: [String: Int]) { report.add(path, counts) }

  /// - Parameter counts: What was taken out already.
  func redacted(
    _ bytes: [UInt8], of path: ByteName, alreadyTaken counts: [String: Int]
  ) throws -> [UInt8] {
    guard let search, let scanner else {
      report.add(path, counts)
      return bytes
    }
    let result = try search.redacted(bytes, with: scanner)
    report.add(path, counts.merging(result.counts) { $0 + $1 })
    return result.bytes
  }

  /// A text without secrets; the same when it has none.
  ///
  /// - Parameter entry: The entry that they are counted for.
  func redacted(_ text: ByteName, countedFor entry: ByteName) throws -> ByteName {
    guard let search, let nameScanner else { return text }
    let result = try search.redacted(text.bytes, with: nameScanner)
    report.add(entry, result.counts)
    return ByteName(bytes: result.bytes)
  }

  /// The name of an entry without secrets, which are counted for that; the same when it has none.
  func redactedName(_ path: ByteName) throws -> ByteName {
    guard let search, let nameScanner else { return path }
    let result = try search.redacted(path.bytes, with: nameScanner)
    let name = ByteName(bytes: result.bytes)
    report.add(name, result.counts)
    return name
  }

  /// What a file is known to be.
  private enum Form {
    case unknown
    case text
    case database(DatabasePages)
    case log(WriteAheadLog)
  }

  private var form = Form.unknown
  /// The beginning of a file, or of a page, that is not complete.
  private var held: [UInt8] = []
  private var isFirstPage = true
  private var counts: [String: Int] = [:]

  /// Begins a file whose bytes come in pieces.
  func begin() {
    scanner?.reset()
    form = .unknown
    held.removeAll(keepingCapacity: true)
    isFirstPage = true
    counts = [:]
  }

  func feed(
    _ bytes: UnsafeRawBufferPointer, _ emit: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    guard let scanner else { return try emit(bytes) }
    switch form {
    case .text: try scanner.feed(bytes, emit)
    case .unknown:
      held += bytes
      guard held.count >= DatabasePages.headerBytes else { return }
      if let pages = DatabasePages(header: held) {
        form = .database(pages)
        try takePages(pages, emit)
      } else if let log = WriteAheadLog(header: held) {
        try held[..<WriteAheadLog.headerBytes].withUnsafeBytes { try emit($0) }
        held.removeFirst(WriteAheadLog.headerBytes)
        form = .log(log)
        try takeFrames(log, emit)
      } else {
        form = .text
        try held.withUnsafeBytes { try scanner.feed($0, emit) }
        held = []
      }
    case .database(let pages):
      held += bytes
      try takePages(pages, emit)
    case .log(let log):
      held += bytes
      try takeFrames(log, emit)
    }
  }

  /// Ends the file.
  func finish(_ path: ByteName, _ emit: (UnsafeRawBufferPointer) throws -> Void) throws {
    guard let scanner, let search else { return }
    if case .database(let pages) = form {
      try takePage(pages, held[...], emit)
    } else if case .log = form {
      // What is left of a frame that was not written whole is none.
      let rest = try search.redacted(held, with: scanner)
      counts.merge(rest.counts) { $0 + $1 }
      try rest.bytes.withUnsafeBytes { try emit($0) }
    } else {
      if case .unknown = form { try held.withUnsafeBytes { try scanner.feed($0, emit) } }
      try scanner.finish(emit)
      counts = search.named(scanner.counts)
    }
    report.add(path, counts)
  }

  private func takePages(
    _ pages: DatabasePages, _ emit: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    var start = 0
    while held.count - start >= pages.pageSize {
      try takePage(pages, held[start..<start + pages.pageSize], emit)
      start += pages.pageSize
    }
    held.removeFirst(start)
  }

  private func takeFrames(
    _ log: WriteAheadLog, _ emit: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    var log = log
    let pages = log.pages
    var start = 0
    while held.count - start >= log.frameBytes {
      let frame = try log.redact(Array(held[start..<start + log.frameBytes])) { page, isFirst in
        try redacted(page, pages, isFirst: isFirst)
      }
      try frame.withUnsafeBytes { try emit($0) }
      start += log.frameBytes
    }
    held.removeFirst(start)
    form = .log(log)
  }

  private func takePage(
    _ pages: DatabasePages, _ bytes: ArraySlice<UInt8>,
    _ emit: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    guard !bytes.isEmpty else { return }
    let page = try redacted(Array(bytes), pages, isFirst: isFirstPage)
    isFirstPage = false
    try page.withUnsafeBytes { try emit($0) }
  }

  /// Searches the texts of a page, each by itself: what stands beside one is not part of it.
  private func redacted(_ bytes: [UInt8], _ pages: DatabasePages, isFirst: Bool) throws -> [UInt8] {
    guard let search, let scanner else { return bytes }
    var page = bytes
    let ranges = page.withUnsafeBufferPointer { pages.textRanges($0, isFirst: isFirst) }
    for range in ranges {
      let result = try search.redacted(Array(page[range]), with: scanner)
      guard !result.counts.isEmpty else { continue }
      page.replaceSubrange(range, with: result.bytes)
      counts.merge(result.counts) { $0 + $1 }
    }
    return page
  }
}
