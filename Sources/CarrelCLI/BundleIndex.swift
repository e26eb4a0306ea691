import Evidence
import IntentWire
import SearchIndex

/// The entries of a bundle's search index.
struct BundleIndex {
  private let reader: BundleReader
  private let context: CommandContext

  init(_ reader: BundleReader, _ context: CommandContext) {
    self.reader = reader
    self.context = context
  }

  /// Prints one JSON array, an entry a line.
  ///
  /// - Throws: ``EvidenceError`` when the bundle cannot be read, ``CommandError`` with the status
  ///   `badBundle` when it has no index, or one that is none.
  func print() throws -> ExitCode {
    guard let bytes = try reader.readIfPresent(BundlePaths.index) else {
      throw CommandError(.badBundle, "the bundle has no index")
    }
    let entries: [IndexUpdate.Entry]
    do {
      entries = try IndexSnapshot.entries(of: bytes, name: BundlePaths.index)
    } catch {
      throw CommandError(.badBundle, "the bundle's index cannot be read: \(error)")
    }
    let lines = entries.map { entry in
      String(
        decoding: IndexUpdate.upsert([entry]).json["upsert"]?.array?[0].bytes ?? [], as: UTF8.self)
    }
    context.writeJSON(
      lines.isEmpty ? "[]\n" : "[\n  " + lines.joined(separator: ",\n  ") + "\n]\n")
    return .success
  }
}
