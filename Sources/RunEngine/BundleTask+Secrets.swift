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

  /// Where an index lies in which no entry has a secret.
  ///
  /// The search keeps the words of entries a second time, in small letters and in pieces, where no
  /// pattern finds them; so an index with a secret is made anew out of its entries.
  ///
  /// - Returns: The path, and how many secrets were taken out, by the rule; `nil` when the index
  ///   has none, or is none that can be read.
  func redactedIndex() -> (path: String, removed: [String: Int])? {
    guard case .secrets(let search)? = redaction,
      let bytes = readSmallFile(container.index, .regularFileOnly),
      let index = try? SearchIndex(path: container.index), var entries = try? index.entries()
    else { return nil }
    var removed: [String: Int] = [:]
    func redact(_ text: inout String) {
      let result = search.redacted(Array(text.utf8))
      guard !result.counts.isEmpty else { return }
      text = String(decoding: result.bytes, as: UTF8.self)
      removed.merge(result.counts) { $0 + $1 }
    }
    for position in entries.indices {
      redact(&entries[position].type)
      redact(&entries[position].identifier)
      if var domain = entries[position].domain {
        redact(&domain)
        entries[position].domain = domain
      }
      for field in entries[position].fields.indices {
        redact(&entries[position].fields[field].text)
      }
    }
    // What was removed from an index is in its file until the place is used again.
    if removed.isEmpty { removed = search.redacted(bytes).counts }
    guard !removed.isEmpty else { return nil }
    let path = container.root + "/index-without-secrets.sqlite"
    unlink(path)
    do {
      try SearchIndex.createEmpty(at: path)
      try SearchIndex(path: path).apply(.upsert(entries))
      return (path, removed)
    } catch {
      return nil
    }
  }
}
