import RunModel
import SystemFiles
import Workers

/// What the apps of a package said of themselves in an earlier run, in the user's cache folder.
///
/// An app that is started says again which bundle identifier it has, and is refused when that is
/// another one than it said before.
struct AppMemory {
  /// Says what the remembered answers depend on besides the executables.
  private static let format = "carrel apps 1"
  private static let field: UInt8 = 0x1F
  private static let line: UInt8 = 0x0A

  private let cache: String
  private let path: String
  private let key: String
  /// Answers by executable, with the state of the file that gave them.
  private var entries: [String: (stamp: String, answer: [UInt8])] = [:]

  /// - Parameters:
  ///   - folder: The folder with what the build made.
  ///   - environment: What the caller passes to apps.
  init(folder: String, cache: String, environment: TestEnvironment) {
    self.cache = cache
    path = "\(cache)/products/\(hexadecimal(stableHash(folder.utf8))).apps"
    key = "\(Self.format) \(hexadecimal(environment.digest))"
    guard let bytes = readSmallFile(path) else { return }
    var lines = bytes.split(separator: Self.line, omittingEmptySubsequences: false)
    guard lines.count >= 2, lines.removeLast().isEmpty,
      lines.removeFirst().elementsEqual(key.utf8)
    else { return }
    for line in lines {
      let fields = line.split(separator: Self.field, maxSplits: 2)
      guard fields.count == 3 else { continue }
      entries[String(decoding: fields[1], as: UTF8.self)] = (
        String(decoding: fields[0], as: UTF8.self), Array(fields[2])
      )
    }
  }

  /// What an executable said; `nil` when it has changed since, or was never asked.
  func answer(of executable: String) -> [UInt8]? {
    guard let entry = entries[executable], FileStamp(path: executable)?.line == entry.stamp else {
      return nil
    }
    return entry.answer
  }

  /// Remembers answers; when that cannot be done, the next run is slower and nothing else.
  ///
  /// - Parameters:
  ///   - answers: What executables said, each a line of JSON.
  ///   - stamps: The states of their files before they were asked.
  func save(_ answers: [String: [UInt8]], stamps: [String: String]) {
    var bytes = Array(key.utf8) + [Self.line]
    for (executable, answer) in answers.sorted(by: { $0.key < $1.key }) {
      let text = answer.last == Self.line ? answer.dropLast() : answer[...]
      guard let stamp = stamps[executable], !text.contains(Self.line),
        !executable.utf8.contains(where: { [Self.line, Self.field].contains($0) })
      else { continue }
      bytes += stamp.utf8
      bytes.append(Self.field)
      bytes += executable.utf8
      bytes.append(Self.field)
      bytes += text
      bytes.append(Self.line)
    }
    guard (try? makeFolders(cache + "/products", mode: 0o700)) != nil else { return }
    try? writeFileAtomically(bytes, to: path, mode: 0o600)
  }
}
