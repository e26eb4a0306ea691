import Glibc
import SystemFiles

extension RunRecord {
  /// The runs in a folder, oldest first; empty when the folder does not exist. Whatever has the
  /// name of a run ID is listed.
  ///
  /// - Throws: ``EvidenceError`` with the code `unreadable`.
  package static func list(inRunsFolder runsFolder: String) throws -> [RunRecord] {
    let names: [[UInt8]]
    do {
      let folder = try OwnedDescriptor(opening: runsFolder, O_RDONLY | O_DIRECTORY)
      names = try listFolder(folder.number)
    } catch let failure {
      if failure.number == ENOENT { return [] }
      throw EvidenceError.system(
        .unreadable, "read the folder", path: runsFolder, errno: failure.number)
    }
    return
      names
      .map { String(decoding: $0, as: UTF8.self) }
      .filter(RunIdentifier.isValid)
      .sorted()
      .map { RunRecord(path: "\(runsFolder)/\($0)") }
  }

  /// Finds a run by what a person typed.
  ///
  /// - Parameters:
  ///   - reference: `latest`, a run ID, a prefix of exactly one run ID, or, when it holds a slash,
  ///     the path of a run's folder.
  ///   - runsFolder: Where IDs are looked up.
  /// - Throws: ``EvidenceError`` with the code `not-found`, `ambiguous` or `unreadable`.
  package static func find(_ reference: String, inRunsFolder runsFolder: String) throws -> RunRecord
  {
    if reference.utf8.contains(UInt8(ascii: "/")) || reference == "." {
      guard FileIdentity(path: "\(reference)/events.jsonl") != nil else {
        throw EvidenceError(
          .notFound, "'\(reference)' is no run record: it has no events.jsonl",
          context: ["path": reference])
      }
      return RunRecord(path: existingPath(reference) ?? reference)
    }
    if reference == "latest" {
      guard let target = target(ofLink: "\(runsFolder)/latest"), RunIdentifier.isValid(target),
        FileIdentity(path: "\(runsFolder)/\(target)") != nil
      else {
        let all = try list(inRunsFolder: runsFolder)
        let newest = all.last { FileIdentity(path: $0.eventsPath) != nil } ?? all.last
        guard let newest else {
          throw EvidenceError(
            .notFound, "there is no run in '\(runsFolder)'", context: ["path": runsFolder])
        }
        return newest
      }
      return RunRecord(path: "\(runsFolder)/\(target)")
    }
    let matches = try list(inRunsFolder: runsFolder).filter { $0.runID.hasPrefix(reference) }
    guard let match = matches.first, !reference.isEmpty else {
      throw EvidenceError(
        .notFound, "no run in '\(runsFolder)' has an ID that starts with '\(reference)'",
        context: ["path": runsFolder, "run": reference])
    }
    guard matches.count == 1 else {
      throw EvidenceError(
        .ambiguous,
        "\(matches.count) runs have an ID that starts with '\(reference)', "
          + "from \(match.runID) to \(matches[matches.count - 1].runID)",
        context: ["path": runsFolder, "run": reference])
    }
    return match
  }

  private static func target(ofLink path: String) -> String? {
    (try? linkTarget(of: Array(path.utf8), in: AT_FDCWD)).flatMap { ByteName(bytes: $0).text }
  }
}
