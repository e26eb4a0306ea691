import Glibc

/// Takes the secrets out of what one packer packs, and counts them.
final class BundleRedaction {
  private let search: SecretSearch?
  /// For the bytes of files, and for names; a scanner has memory of its own.
  private let scanner: SecretScanner?
  private let nameScanner: SecretScanner?
  private(set) var report: RedactionReport

  init(_ choice: BundleRedactionChoice, variables: [String]) {
    let search: SecretSearch? =
      switch choice {
      case .off: nil
      case .secrets(let search): search
      }
    self.search = search
    scanner = search.map { SecretScanner($0) }
    nameScanner = search.map { SecretScanner($0) }
    report = RedactionReport(isEnabled: search != nil)
    report.variables = variables.sorted()
  }

  /// Adds what was taken out already.
  func add(_ path: ByteName, _ counts: [String: Int]) { report.add(path, counts) }

  /// - Parameter counts: What was taken out already.
  func redacted(
    _ bytes: [UInt8], of path: ByteName, alreadyTaken counts: [String: Int]
  ) -> [UInt8] {
    guard let search, let scanner else {
      report.add(path, counts)
      return bytes
    }
    let result = search.redacted(bytes, with: scanner)
    report.add(path, counts.merging(result.counts) { $0 + $1 })
    return result.bytes
  }

  /// A text without secrets; the same when it has none.
  ///
  /// - Parameter entry: The entry that they are counted for.
  func redacted(_ text: ByteName, countedFor entry: ByteName) -> ByteName {
    guard let search, let nameScanner else { return text }
    let result = search.redacted(text.bytes, with: nameScanner)
    report.add(entry, result.counts)
    return ByteName(bytes: result.bytes)
  }

  /// The name of an entry without secrets, which are counted for that; the same when it has none.
  func redactedName(_ path: ByteName) -> ByteName {
    guard let search, let nameScanner else { return path }
    let result = search.redacted(path.bytes, with: nameScanner)
    let name = ByteName(bytes: result.bytes)
    report.add(name, result.counts)
    return name
  }

  /// Begins a file whose bytes come in pieces.
  func begin() { scanner?.reset() }

  func feed(
    _ bytes: UnsafeRawBufferPointer, _ emit: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    guard let scanner else { return try emit(bytes) }
    try scanner.feed(bytes, emit)
  }

  /// Ends the file.
  func finish(_ path: ByteName, _ emit: (UnsafeRawBufferPointer) throws -> Void) throws {
    guard let scanner, let search else { return }
    try scanner.finish(emit)
    report.add(path, search.named(scanner.counts))
  }
}
