import RunModel

/// What a bundle holds, without the bytes of its files.
package struct BundleInventory: Sendable {
  /// Whether the bundle is whole, and what it is about.
  package let check: BundleCheck
  /// The bytes of ``BundlePaths/manifest``; empty when it cannot be read.
  package let manifest: [UInt8]
  /// All entries but the manifest and the list of contents, by path; of a bundle that is not whole,
  /// those that were read to their end.
  package let entries: [ByteName: ContentsEntry]
  /// The path of an entry that has that of an earlier one, which counts; `nil` when there is none.
  package let repeated: ByteName?

  /// Reads the whole bundle once, with memory for one buffer and about 400 bytes for each entry.
  ///
  /// Digests are those of the bytes that are there, whatever the list of contents says.
  ///
  /// - Throws: ``EvidenceError`` as ``BundleReader/verify()``.
  package init(_ reader: BundleReader) throws {
    let collector = InventoryCollector()
    check = try BundleScan(reader, visitor: collector).run()
    manifest = collector.manifest
    entries = collector.entries
    repeated = collector.repeated
  }

  /// An entry that two bundles do not have in the same way.
  package struct Difference: Sendable {
    package var path: ByteName
    /// `nil` when only the other bundle has the entry.
    package var a: ContentsEntry?
    package var b: ContentsEntry?
  }

  /// The entries in which another bundle differs, by path, and the number of those that are equal.
  ///
  /// - Parameters:
  ///   - isChosen: Which entries are looked at.
  ///   - countsTimes: Whether another time of the original is a difference.
  package func differences(
    from other: BundleInventory, countsTimes: Bool, where isChosen: (ByteName) -> Bool
  ) -> (differences: [Difference], equal: Int) {
    var differences: [Difference] = []
    var equal = 0
    for (path, entry) in entries where isChosen(path) {
      let counterpart = other.entries[path]
      if let counterpart, entry.isEqual(counterpart, countsTimes: countsTimes) {
        equal += 1
      } else {
        differences.append(Difference(path: path, a: entry, b: counterpart))
      }
    }
    for (path, entry) in other.entries where entries[path] == nil && isChosen(path) {
      differences.append(Difference(path: path, a: nil, b: entry))
    }
    return (differences.sorted { $0.path < $1.path }, equal)
  }
}

extension ContentsEntry {
  fileprivate func isEqual(_ other: ContentsEntry, countsTimes: Bool) -> Bool {
    kind == other.kind && mode == other.mode && size == other.size
      && linkTarget == other.linkTarget && sha256 == other.sha256
      && (!countsTimes || modified == other.modified)
  }
}

/// Sees a bundle and keeps what its entries are.
private final class InventoryCollector: BundleVisitor {
  private(set) var manifest: [UInt8] = []
  private(set) var entries: [ByteName: ContentsEntry] = [:]
  private(set) var repeated: ByteName?
  private let hash = SHA256Holder()
  private var isManifest = false

  func begin(_ entry: BundleEntry) throws {
    isManifest = entry.path == ByteName(BundlePaths.manifest)
  }

  func data(_ bytes: UnsafeRawBufferPointer) throws {
    if isManifest { manifest += bytes } else { hash.update(bytes) }
  }

  func end(_ entry: BundleEntry, isComplete: Bool) throws {
    let digest = hash.finish()
    let isList = entry.path == ByteName(BundlePaths.contents)
    guard isComplete, !isManifest, !isList else { return }
    guard entries[entry.path] == nil else {
      if repeated == nil { repeated = entry.path }
      return
    }
    entries[entry.path] = ContentsEntry(
      path: entry.path, kind: entry.kind, mode: entry.mode, size: entry.size,
      linkTarget: entry.linkTarget, sha256: entry.kind == .file ? digest : nil)
  }

  func listed(_ entry: ContentsEntry) throws {
    entries[entry.path]?.modified = entry.modified
  }
}

/// Keeps a digest in progress inside of a class.
private final class SHA256Holder {
  private var hash = SHA256()

  func update(_ bytes: UnsafeRawBufferPointer) { hash.update(bytes) }

  /// In hexadecimal; the value starts anew.
  func finish() -> String { hexadecimal(hash.finish()) }
}

extension BundleReader {
  /// The bytes of several files, in one pass.
  ///
  /// Files that the bundle does not have are left out, and of a bundle that is cut off or damaged
  /// those behind the damage.
  ///
  /// - Parameter wanted: The largest number of bytes that is taken, by path; larger files are left
  ///   out.
  /// - Throws: ``EvidenceError`` with the code `not-found` or `unreadable`.
  package func files(_ wanted: [ByteName: Int]) throws -> [ByteName: [UInt8]] {
    var result: [ByteName: [UInt8]] = [:]
    guard !wanted.isEmpty else { return result }
    do {
      let reader = try TarReader(path: path, limits: limits)
      while result.count < wanted.count, let entry = try reader.next() {
        guard let maxBytes = wanted[entry.path], entry.kind == .file, entry.size <= maxBytes,
          result[entry.path] == nil
        else { continue }
        result[entry.path] = try reader.readData(maxBytes: maxBytes)
      }
    } catch let error as EvidenceError where [.cutOff, .malformed, .limit].contains(error.code) {
      // Who asks knows that the bundle is not whole.
    }
    return result
  }
}

extension RecordedCommand {
  /// Reads the text of ``BundlePaths/command``.
  ///
  /// - Throws: What the decoder throws.
  package init(reading bytes: [UInt8]) throws { self = try decodedJSON(from: bytes) }
}
