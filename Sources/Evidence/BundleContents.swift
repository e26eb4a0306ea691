/// How a bundle is compressed.
package enum BundleCompression: String, CaseIterable, Sendable {
  case none, gzip, zstd

  /// The end of the file's name, without the leading dot.
  package var fileExtension: String {
    switch self {
    case .none: "tar"
    case .gzip: "tar.gz"
    case .zstd: "tar.zst"
    }
  }
}

/// What is taken out of a bundle.
package enum BundleRedactionChoice: Sendable {
  /// Nothing, and the bundle says so.
  case off
  case secrets(SecretSearch)
}

/// What goes into a failure bundle besides the lists that the format adds by itself.
package struct BundleContents: Sendable {
  /// Where an entry's bytes come from.
  package enum Source: Sendable {
    /// Bytes in memory; `mode` holds the permission bits.
    case bytes([UInt8], mode: UInt16 = 0o644)
    /// What lies at a path: a file, or a folder with everything below. A link is taken as a link,
    /// wherever it is, so nothing gets in that does not lie there. What is no file is noted.
    ///
    /// - Parameter below: The folder that the path is relative to, when no link may be followed on
    ///   the way from it; `nil` when the path's folder is trusted.
    case item(String, below: String? = nil)
    /// A file that is left out; the list of contents has a note with the reason, a clause.
    case omitted(reason: String)
  }

  /// One entry, or one tree of entries.
  package struct Entry: Sendable {
    /// Path in the archive.
    package var path: String
    package var source: Source
    /// How many secrets were taken out of it already, by the rule.
    package var removed: [String: Int]

    package init(_ path: String, _ source: Source, removed: [String: Int] = [:]) {
      self.path = path
      self.source = source
      self.removed = removed
    }
  }

  package var manifest: BundleManifest
  /// In any order; the format has its own.
  package var entries: [Entry]
  /// Files and folders that are left out of trees wherever they are found, by identity.
  package var excluded: [String]
  /// What is taken out of all entries; `nil` for a bundle that does not say.
  package var redaction: BundleRedactionChoice?
  /// Names of variables whose values were taken out of the command already.
  package var removedVariables: [String] = []

  package init(
    manifest: BundleManifest, entries: [Entry], excluded: [String] = [],
    redaction: BundleRedactionChoice? = nil
  ) {
    self.manifest = manifest
    self.entries = entries
    self.excluded = excluded
    self.redaction = redaction
  }
}

extension BundleContents {
  /// The order of the format: logs, events, command, repro script, crash reports, index, container,
  /// attachments, metadata, selection, then anything else; within a group bytewise by path.
  ///
  /// - Throws: ``EvidenceError`` with the code `invalid-contents` for a path that is not relative
  ///   and plain, is reserved, occurs twice or lies inside another entry.
  func orderedEntries() throws -> [Entry] {
    let ranked = entries.sorted { lhs, rhs in
      let ranks = (Self.rank(lhs.path), Self.rank(rhs.path))
      return ranks.0 != ranks.1 ? ranks.0 < ranks.1 : ByteName(lhs.path) < ByteName(rhs.path)
    }
    var seen: Set<String> = [
      BundlePaths.manifest, BundlePaths.contents, BundlePaths.redactions,
    ]
    for entry in ranked {
      let parts = entry.path.split(separator: "/", omittingEmptySubsequences: false)
      let isPlain = parts.allSatisfy { part in
        !part.isEmpty && part != "." && part != ".." && !part.utf8.contains(0)
      }
      let isInside = parts.indices.dropLast().contains { index in
        seen.contains(parts[...index].joined(separator: "/"))
      }
      guard isPlain, !isInside, seen.insert(entry.path).inserted else {
        throw EvidenceError(
          .invalidContents, "'\(ByteName(entry.path).displayName)' cannot be an entry of a bundle",
          context: ["entry": entry.path])
      }
    }
    return ranked
  }

  private static func rank(_ path: String) -> Int {
    let top = path.prefix { $0 != "/" }
    return BundlePaths.order.firstIndex { $0 == top } ?? BundlePaths.order.count
  }
}

/// Names in a bundle.
package enum BundlePaths {
  package static let manifest = "manifest.json"
  package static let standardOutput = "logs/stdout.log"
  package static let standardError = "logs/stderr.log"
  package static let events = "events.jsonl"
  package static let journal = "journal.jsonl"
  package static let command = "command.json"
  package static let reproScript = "repro.sh"
  package static let crash = "crash"
  package static let hang = "hang.txt"
  package static let index = "index.sqlite"
  package static let container = "container"
  package static let attachments = "attachments"
  package static let metadataFolder = "metadata"
  package static let selection = "selection"
  package static let redactions = "redactions.json"
  package static let contents = "contents.json"

  /// What is said of an app's intents, entities and enumerations.
  package enum MetadataForm: String, Sendable {
    /// What the running app has answered (`--describe`).
    case registered = "json"
    /// What its sources declare, as `extract.actionsdata` has it.
    case declared = "actionsdata"
  }

  /// Where what an app's process wrote is.
  package static func appLog(_ bundleIdentifier: String) -> String {
    "logs/app-\(fileName(bundleIdentifier)).log"
  }

  /// Where what is said of an app's registration is.
  package static func metadata(_ bundleIdentifier: String, _ form: MetadataForm) -> String {
    "\(metadataFolder)/\(fileName(bundleIdentifier)).\(form.rawValue)"
  }

  /// Characters that have no place in a file's name are `_`.
  private static func fileName(_ bundleIdentifier: String) -> String {
    let name = bundleIdentifier.utf8.prefix(200).map { byte in
      switch UInt8(byte) {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
        byte
      case UInt8(ascii: "."): byte
      default: UInt8(ascii: "_")
      }
    }
    return String(decoding: name, as: UTF8.self)
  }

  static let order = [
    "logs", events, journal, command, reproScript, crash, hang, index, container, attachments,
    metadataFolder, selection, redactions,
  ]
}
