/// What was found when a bundle was read from its first byte to its last.
package struct BundleCheck: Sendable {
  /// One thing that is wrong.
  package struct Problem: Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, in a form that programs can rely on.
    package enum Code: String, Sendable, CaseIterable {
      /// The first entry is no manifest that can be read.
      case noManifest = "no-manifest"
      /// The archive ends before its end.
      case cutOff = "cut-off"
      /// The archive or its compression is damaged.
      case damaged
      /// A limit was reached; see ``BundleLimits``.
      case limit
      /// There is no list of contents at the end.
      case noList = "no-list"
      /// The list of contents is broken.
      case brokenList = "broken-list"
      /// An entry is not what the list of contents says.
      case different
      /// The list of contents names an entry that the archive does not have there.
      case missing
      /// The archive has an entry that the list of contents does not name there.
      case unlisted
      /// An entry follows the list of contents.
      case afterList = "after-list"
    }

    package var code: Code
    package var entry: ByteName?
    /// One sentence.
    package var message: String

    /// The message with the entry's name in front, safe for a terminal.
    package var description: String {
      guard let entry else { return message }
      return "\(entry.displayName): \(message)"
    }
  }

  /// Empty when the bundle is whole; at most ``maxProblems``.
  package internal(set) var problems: [Problem] = []
  package internal(set) var manifest: BundleManifest?
  /// That of a run archive; `nil` for a failure bundle.
  var runManifest: RunArchiveManifest?
  /// Whether the first entry is the manifest that it should be.
  var hasManifest = false
  /// SHA-256 of the lines of the list of contents, in hexadecimal; `nil` without a whole list.
  var digest: String?
  /// Entries that were read to their end, manifest and list of contents included.
  package internal(set) var completeEntries = 0
  /// Bytes of the files among them.
  package internal(set) var completeBytes = 0
  /// The last entry that was read to its end.
  package internal(set) var lastEntry: ByteName?
  /// The entry in the middle of which the archive ends or is damaged.
  package internal(set) var cutEntry: ByteName?
  /// What the bundle's writer noted about files that it did not pack as they were.
  package internal(set) var notes: [ContentsNote] = []

  /// More problems than this are not collected.
  package static let maxProblems = 100

  /// Whether nothing is missing, changed or added.
  package var isWhole: Bool { problems.isEmpty }

  mutating func add(_ code: Problem.Code, _ entry: ByteName? = nil, _ message: String) {
    guard problems.count < Self.maxProblems else { return }
    problems.append(Problem(code: code, entry: entry, message: message))
  }

  /// Adds what ended the reading, which is collected however many problems there are.
  mutating func addEnd(_ code: Problem.Code, _ entry: ByteName?, _ message: String) {
    if problems.count == Self.maxProblems { problems.removeLast() }
    add(code, entry, message)
  }
}
