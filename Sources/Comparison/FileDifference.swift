/// The name of an entry of a bundle.
package struct FileName: Hashable, Sendable, Encodable {
  /// `nil` when it is not valid UTF-8.
  package var path: String?
  /// The bytes, those beyond printable ASCII as `%XX`; only of a name that is not UTF-8.
  package var pathBytes: String?
  /// For people, on one line; see docs/bundle-format.md.
  package var shown: String

  package init(path: String?, pathBytes: String?, shown: String) {
    self.path = path
    self.pathBytes = pathBytes
    self.shown = shown
  }

  private enum CodingKeys: String, CodingKey { case path, pathBytes }
}

/// What is known of an entry of a bundle.
package struct FileFacts: Hashable, Sendable, Encodable {
  /// `file`, `folder`, `symlink`, …
  package var type: String
  /// Permission bits in octal.
  package var mode: String
  /// In bytes; `nil` unless it is a file.
  package var size: Int?
  /// Where a link leads, for people.
  package var target: String?
  /// Of the bytes of a file, in hexadecimal.
  package var sha256: String?
  /// Time of the original as `SECONDS.NANOSECONDS` since 1970; `nil` when it is not known.
  package var modified: String?

  package init(
    type: String, mode: String, size: Int? = nil, target: String? = nil, sha256: String? = nil,
    modified: String? = nil
  ) {
    self.type = type
    self.mode = mode
    self.size = size
    self.target = target
    self.sha256 = sha256
    self.modified = modified
  }
}

/// An entry that is not the same in two bundles.
package struct FileDifference: Hashable, Sendable, Encodable {
  /// What differs of an entry that both have.
  package enum Change: String, Hashable, Sendable, Encodable, CaseIterable {
    case type, content, target, mode, modified
  }

  package var name: FileName
  /// `nil` when only B has the entry.
  package var a: FileFacts?
  /// `nil` when only A has the entry.
  package var b: FileFacts?
  /// Empty when only one of them has the entry.
  package var changes: [Change]
  /// Of two texts.
  package var text: TextDifference?
  /// Why there is no ``text`` though the contents differ: `binary`, `large` or `budget`.
  package var noText: NoText?

  package enum NoText: String, Hashable, Sendable, Encodable {
    /// One of the files is no text.
    case binary
    /// One of the files is too large to be compared line by line.
    case large
    /// The texts that were compared before took all room there is for them.
    case budget
  }

  package init(
    name: FileName, a: FileFacts?, b: FileFacts?, countsTimes: Bool = false
  ) {
    self.name = name
    self.a = a
    self.b = b
    changes = []
    guard let a, let b else { return }
    if a.type != b.type { changes.append(.type) }
    if a.type == b.type, a.size != b.size || a.sha256 != b.sha256 { changes.append(.content) }
    if a.target != b.target { changes.append(.target) }
    if a.mode != b.mode { changes.append(.mode) }
    if countsTimes, a.modified != b.modified { changes.append(.modified) }
  }

  /// Whether anything is to be told.
  package var isDifferent: Bool { a == nil || b == nil || !changes.isEmpty }
}
