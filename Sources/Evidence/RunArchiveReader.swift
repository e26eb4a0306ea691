import Glibc
package import RunModel
import SystemFiles

/// Reads a run archive: a file that may come from anywhere and may hold anything.
package struct RunArchiveReader: Sendable {
  /// The entries at the beginning.
  package struct Head: Sendable {
    package var manifest: RunArchiveManifest
    /// The text of `carrel.json`; `nil` without one.
    package var configuration: [UInt8]?
    /// In the order of the listing.
    package var tests: [TestDescriptor]
  }

  /// What an archive is that was read from its first byte to its last.
  package struct Whole: Sendable {
    package var manifest: RunArchiveManifest
    /// Digest of its list of contents, as `sha256:` and hexadecimal digits: the same for the same
    /// contents, however they are compressed.
    package var digest: String
    /// Number of entries.
    package var entries: Int
    /// Bytes of the files in it.
    package var bytes: Int
  }

  package let path: String
  private let limits: BundleLimits

  package init(path: String, limits: BundleLimits = .runArchive) {
    self.path = path
    self.limits = limits
  }

  private var reader: BundleReader {
    var reader = BundleReader(path: path, limits: limits)
    reader.form = .runArchive
    return reader
  }

  /// Reads the entries at the beginning and no more; what follows may be damaged.
  ///
  /// - Throws: ``EvidenceError`` with the code `not-found`, `unreadable`, `not-an-archive`,
  ///   `malformed`, `cut-off`, `limit` or `newer-format`.
  package func head() throws -> Head {
    try named {
      let reader = try TarReader(path: path, limits: limits)
      guard let first = try reader.next(), first.path == ByteName(RunArchivePaths.manifest),
        first.kind == .file
      else { throw notAnArchive("its first entry is not \(RunArchivePaths.manifest)") }
      let bytes = try reader.readData(maxBytes: limits.manifestBytes)
      let manifest: RunArchiveManifest
      do {
        manifest = try RunArchiveManifest(reading: bytes, path: path)
      } catch let error as EvidenceError where error.code == .malformed {
        throw notAnArchive(error.description)
      }
      var head = Head(manifest: manifest, tests: [])
      while let entry = try reader.next(), entry.kind == .file {
        if entry.path == ByteName(RunArchivePaths.configuration) {
          head.configuration = try reader.readData(maxBytes: 1 << 20)
        } else if entry.path == ByteName(RunArchivePaths.tests) {
          head.tests = try tests(try reader.readData(maxBytes: 1 << 30))
          guard head.tests.count == manifest.tests else {
            throw malformed(
              RunArchivePaths.tests,
              "has \(head.tests.count) tests, the manifest says \(manifest.tests)")
          }
          return head
        } else {
          break
        }
      }
      throw malformed(RunArchivePaths.tests, "is not where it should be")
    }
  }

  /// Reads the whole archive and compares every entry with the list of contents.
  ///
  /// - Throws: ``EvidenceError`` as ``head()``; one with the code `malformed` or `cut-off` names
  ///   the entry that is not what was packed.
  package func verify() throws -> Whole {
    try named { try whole(try BundleScan(reader).run()) }
  }

  /// Extracts the archive into a folder that does not exist, or is empty.
  ///
  /// - Parameter isStopped: Polled while extracting, on the same thread; `true` gives up.
  /// - Throws: ``EvidenceError`` as ``verify()``, also when an entry would lead out of the folder,
  ///   or is of a kind that such an archive has not; `unwritable`, `target-not-empty` or `stopped`.
  ///   What was extracted may be left.
  package func extract(
    to folder: String, isStopped: @escaping @Sendable () -> Bool = { false }
  ) throws -> Whole {
    try named {
      var options = ExtractionOptions()
      options.isStopped = isStopped
      let report = try reader.extract(to: folder, options: options)
      if let refusal = report.refused.first {
        throw EvidenceError(
          .malformed,
          "'\(displayPath)' is refused: \(refusal)",
          context: ["path": path, "entry": refusal.path.displayName])
      }
      return try whole(report.check)
    }
  }

  private var displayPath: String { ByteName(path).displayName }

  private func whole(_ check: BundleCheck) throws -> Whole {
    if let problem = check.problems.first {
      let code: EvidenceError.Code =
        switch problem.code {
        case .noManifest: .notAnArchive
        case .cutOff, .noList: .cutOff
        case .limit: .limit
        default: .malformed
        }
      guard code != .notAnArchive else { throw notAnArchive("\(problem)") }
      let more = check.problems.count > 1 ? "; and \(check.problems.count - 1) more" : ""
      throw EvidenceError(
        code, "the run archive '\(displayPath)' is not whole: \(problem)\(more)",
        context: ["path": path, "entry": problem.entry?.displayName ?? ""])
    }
    guard let manifest = check.runManifest, let digest = check.digest else {
      throw notAnArchive("it has no manifest")
    }
    return Whole(
      manifest: manifest, digest: "sha256:\(digest)", entries: check.completeEntries,
      bytes: check.completeBytes)
  }

  private func tests(_ bytes: [UInt8]) throws -> [TestDescriptor] {
    try bytes.split(separator: 10).enumerated().map { index, line in
      do {
        return try decodedJSON(TestDescriptor.self, from: line)
      } catch {
        throw malformed(RunArchivePaths.tests, "is broken in line \(index + 1)")
      }
    }
  }

  private func malformed(_ entry: String, _ reason: String) -> EvidenceError {
    EvidenceError(
      .malformed, "the run archive '\(displayPath)' is not whole: \(entry): \(reason)",
      context: ["path": path, "entry": entry])
  }

  private func notAnArchive(_ reason: String) -> EvidenceError {
    EvidenceError(
      .notAnArchive, "'\(displayPath)' is not a run archive (\(reason))",
      context: ["path": path, "reason": reason])
  }

  /// Names what was expected where the family's code speaks of a bundle.
  private func named<T>(_ body: () throws -> T) throws -> T {
    do {
      return try body()
    } catch let error as EvidenceError {
      guard [.notABundle, .cutOff].contains(error.code), let reason = error.context["reason"] else {
        throw error
      }
      throw notAnArchive(reason)
    }
  }
}
