import Evidence
import FoundationEssentials
import SystemFiles

/// Digests of files, kept in the user's cache folder until the file changes: a compiler has some
/// hundred megabytes.
struct DigestMemory {
  private struct Entry: Codable, Hashable {
    var stamp: String
    var digest: String
  }

  private static let most = 1000

  private let folder: String?
  private var entries: [String: Entry] = [:]
  private var isChanged = false

  /// - Parameter cache: The user's cache folder; `nil` to remember nothing.
  init(cache: String?) {
    folder = cache
    if let path, let bytes = readSmallFile(path),
      let known = try? JSONDecoder().decode([String: Entry].self, from: Data(bytes))
    {
      entries = known
    }
  }

  private var path: String? { folder.map { $0 + "/digests.json" } }

  /// - Returns: `nil` when the file cannot be read.
  mutating func digest(of file: String) -> String? {
    guard let stamp = FileStamp(path: file)?.line else { return nil }
    if let entry = entries[file], entry.stamp == stamp { return entry.digest }
    guard let digest = try? fileDigest(file), FileStamp(path: file)?.line == stamp else {
      return nil
    }
    if entries.count >= Self.most { entries = [:] }
    entries[file] = Entry(stamp: stamp, digest: digest)
    isChanged = true
    return digest
  }

  /// Remembers; when that cannot be done, the next run is slower and nothing else.
  func save() {
    guard isChanged, let path, let folder, let bytes = try? JSONEncoder().encode(entries),
      (try? makeFolders(folder, mode: 0o700)) != nil
    else { return }
    try? writeFileAtomically(Array(bytes), to: path, mode: 0o600)
  }
}
