import Evidence
import Glibc
import IntentWire
import SearchIndex
import SystemFiles
import Workers

/// What of a bundle is made anew because it holds secrets.
extension BundleTask {
  /// The variables of the batch's process whose names say that their values are secret, sorted.
  var secretVariables: [String] {
    guard case .secrets(let search)? = redaction, let request else { return [] }
    return request.environment.keys.filter { search.isSecret(variable: $0) }.sorted()
  }
}

/// What of a container's index gets into a bundle.
///
/// The search keeps the words of entries a second time, in small letters and in pieces, where no
/// pattern finds them; so an index with a secret is made anew out of its entries.
enum PackedIndex: Equatable {
  /// What lies there, searched for secrets like any other file.
  case asItIs
  /// A new index without secrets.
  ///
  /// - Parameter removed: How many secrets were taken out, by the rule.
  case replaced(path: String, removed: [String: Int])
  /// Nothing: it may hold secrets that cannot be taken out. The reason is a clause.
  case omitted(reason: String)

  /// Makes the new index when there has to be one, in the container's folder.
  init(of container: Container, redaction: BundleRedactionChoice?) {
    var status = stat()
    // What is no file is a note in the list of contents, a link is packed as a link.
    guard case .secrets(let search)? = redaction, lstat(container.index, &status) == 0,
      status.isRegular
    else {
      self = .asItIs
      return
    }
    let bytes = readSmallFile(container.index, .regularFileOnly)
    let entries: [IndexUpdate.Entry]
    do {
      entries = try SearchIndex(path: container.index).entries()
    } catch {
      // What is no database keeps no words in other forms.
      let isDatabase = bytes?.starts(with: "SQLite format 3\0".utf8) ?? true
      self = isDatabase ? .omitted(reason: "its words cannot be read, and may be secret") : .asItIs
      return
    }
    do {
      var redacted = (entries: entries, removed: [String: Int]())
      try Self.redact(&redacted.entries, search, &redacted.removed)
      // What was removed from an index is in its file until the place is used again.
      if redacted.removed.isEmpty, let bytes {
        redacted.removed = try search.redacted(bytes).counts
        if redacted.removed.isEmpty {
          self = .asItIs
          return
        }
      }
      let path = container.root + "/index-without-secrets.sqlite"
      unlink(path)
      try SearchIndex.createEmpty(at: path)
      try SearchIndex(path: path).apply(.upsert(redacted.entries))
      self = .replaced(path: path, removed: redacted.removed)
    } catch {
      self = .omitted(reason: "it may hold secrets, and could not be made anew without them")
    }
  }

  private static func redact(
    _ entries: inout [IndexUpdate.Entry], _ search: SecretSearch, _ removed: inout [String: Int]
  ) throws {
    func redact(_ text: inout String) throws {
      let result = try search.redacted(Array(text.utf8))
      guard !result.counts.isEmpty else { return }
      text = String(decoding: result.bytes, as: UTF8.self)
      removed.merge(result.counts) { $0 + $1 }
    }
    for position in entries.indices {
      try redact(&entries[position].type)
      try redact(&entries[position].identifier)
      if var domain = entries[position].domain {
        try redact(&domain)
        entries[position].domain = domain
      }
      for field in entries[position].fields.indices {
        try redact(&entries[position].fields[field].text)
      }
    }
  }
}
