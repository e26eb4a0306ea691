import Glibc
import SystemFiles

extension BundleReader {
  /// Extracts the bundle into a folder.
  ///
  /// A folder that does not exist is filled under another name beside it and renamed when it is
  /// done; one that exists must be empty and is filled in place. Entries that are not what a bundle
  /// may hold are refused, named in the report and do not stop the rest. A damaged or cut-off
  /// bundle gives what is whole in it; the report's check says so.
  ///
  /// - Throws: ``EvidenceError`` with the code `not-found`, `unreadable`, `not-a-bundle`,
  ///   `newer-format`, `target-not-empty`, `limit` or `unwritable`; then nothing is left of what
  ///   was extracted.
  package func extract(
    to target: String, options: ExtractionOptions = ExtractionOptions()
  ) throws -> ExtractionReport {
    var status = stat()
    guard stat(target, &status) == 0 else {
      guard errno == ENOENT else {
        throw EvidenceError.system(.unwritable, "make the folder", path: target, errno: errno)
      }
      return try extractToNewFolder(target, options)
    }
    guard status.isFolder else {
      throw EvidenceError(
        .targetNotEmpty, "'\(target)' exists and is no folder", context: ["path": target])
    }
    return try fill(target, options)
  }

  private func extractToNewFolder(
    _ target: String, _ options: ExtractionOptions
  ) throws -> ExtractionReport {
    try evidence { () throws(FileError) in try makeFolders(folder(of: target)) }
    Leftovers.remove(in: folder(of: target))
    do {
      let temporary = try TemporaryDirectory(beside: target)
      let report = try fill(temporary.path, options)
      try temporary.rename(to: target)
      return report
    } catch let failure as SystemFailure {
      throw EvidenceError.system(
        .unwritable, "make the folder", path: target, errno: failure.number)
    }
  }

  /// Extracts into a folder that exists and is empty; empties it again when that fails.
  private func fill(_ target: String, _ options: ExtractionOptions) throws -> ExtractionReport {
    let root = try openTarget(target)
    guard try isEmpty(root.number, target) else {
      throw EvidenceError(
        .targetNotEmpty, "'\(target)' is not empty; extract into a new folder",
        context: ["path": target])
    }
    do {
      let extractor = BundleExtractor(root: root.number, options: options)
      let check = try BundleScan(self, visitor: extractor).run()
      if let problem = check.problems.first(where: { $0.code == .limit }) {
        throw EvidenceError(.limit, problem.message, context: ["path": path])
      }
      guard check.hasManifest else {
        throw EvidenceError.notABundle(
          path, check.problems.first?.message ?? "it has no manifest")
      }
      return extractor.finish(check)
    } catch {
      _ = emptyFolder(root.number, path: target)
      throw error
    }
  }

  private func openTarget(_ target: String) throws -> OwnedDescriptor {
    do {
      return try OwnedDescriptor(opening: target, O_RDONLY | O_DIRECTORY)
    } catch {
      throw EvidenceError.system(.unwritable, "open the folder", path: target, errno: error.number)
    }
  }

  private func isEmpty(_ folder: Int32, _ target: String) throws -> Bool {
    do {
      return try listFolder(folder).isEmpty
    } catch {
      throw EvidenceError.system(.unwritable, "read the folder", path: target, errno: error.number)
    }
  }
}
