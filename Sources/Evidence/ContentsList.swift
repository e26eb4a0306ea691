import Glibc

/// One line of the list of contents: an entry of the archive.
package struct ContentsEntry: Hashable, Sendable {
  package var path: ByteName
  package var kind: ArchiveEntryKind
  /// Permission bits, set-user-ID and the like included.
  package var mode: UInt16
  /// In bytes; 0 unless it is a file.
  package var size: Int
  package var linkTarget: ByteName?
  /// The time of the original, in seconds since 1970; `nil` when it was made for the bundle.
  package var modified: Timestamp?
  /// SHA-256 of a file's bytes in hexadecimal.
  package var sha256: String?
}

/// A moment of a file system.
package struct Timestamp: Hashable, Sendable {
  /// Since 1970; negative before.
  package var seconds: Int
  /// 0 to 999,999,999, added to the seconds.
  package var nanoseconds: Int
}

/// Something in a tree that was not packed, or not as it was.
package struct ContentsNote: Hashable, Sendable {
  /// What was noted, as `contents.json` names it.
  package enum Kind: String, Sendable, CaseIterable {
    /// A socket, FIFO or device: listed, never opened.
    case special
    /// The file's size, bytes or time changed while it was packed; the entry holds as many bytes as
    /// it announces.
    case changed
    /// The file or folder could not be read: permissions, an input error.
    case unreadable
    /// The file or folder was gone when it was to be packed.
    case missing
    /// Left out because of a limit; see ``BundleLimits``.
    case limit
    /// The bundle itself, or what the caller excluded.
    case excluded
  }

  package var path: ByteName
  package var kind: Kind
  /// What the file is.
  package var type: ArchiveEntryKind
  /// One sentence.
  package var message: String
}

/// Collects the text of `contents.json` while a bundle is written.
///
/// The text is one JSON object laid out so that a reader needs to keep no more than one line: each
/// entry and each note has a line of its own. See docs/bundle-format.md.
struct ContentsListWriter {
  private var entries: [UInt8] = []
  private var notes: [UInt8] = []
  private(set) var count = 0
  /// The notes that are in the text.
  private(set) var kept: [ContentsNote] = []
  /// Notes that are only counted.
  private var unlisted: ContentsNote?
  private var unlistedCount = 0

  /// Bytes of the lines of entries so far.
  var entryBytes: Int { entries.count }

  /// More bytes than the lines around entries and notes have.
  static let frameBytes = 1024

  /// At most so many bytes has the line of an entry: a byte of a name takes up to six.
  static func maxLineBytes(_ path: ByteName, target: ByteName?) -> Int {
    512 + 6 * (path.bytes.count + (target?.bytes.count ?? 0))
  }

  mutating func add(_ entry: ContentsEntry) {
    if !entries.isEmpty { entries += Array(",\n".utf8) }
    count += 1
    entries += entry.json
  }

  /// Adds a note, or only counts it when the notes have so many bytes already.
  mutating func add(_ note: ContentsNote, maxBytes: Int = 16 << 20) {
    let line = note.json
    guard unlisted == nil, notes.count + line.count + 2 <= maxBytes else {
      unlisted = unlisted ?? note
      unlistedCount += 1
      return
    }
    if !notes.isEmpty { notes += Array(",\n".utf8) }
    notes += line
    kept.append(note)
  }

  /// The whole text. Its last line holds the digest of the lines before.
  func text() -> [UInt8] {
    var text = Array("{\"format\":\"\(bundleFormat)\",\"entries\":[\n".utf8)
    text += entries
    text += Array("\n],\"notes\":[\n".utf8)
    text += notes
    if var last = unlisted {
      last.message = "\(last.message); \(unlistedCount - 1) more notes are left out"
      if !notes.isEmpty { text += Array(",\n".utf8) }
      text += last.json
    }
    if !notes.isEmpty || unlisted != nil { text.append(10) }
    text += Array("],\"sha256\":\"\(hexadecimal(SHA256.digest(of: text)))\"}\n".utf8)
    return text
  }
}

extension ContentsEntry {
  /// The entry as one line of JSON without the newline; names that are not UTF-8 are exact in it
  /// too.
  package var json: [UInt8] {
    var text = Array("{".utf8) + jsonMember("path", path)
    text += Array(",\"type\":\"\(kind.rawValue)\",\"mode\":\"\(octalMode)\"".utf8)
    if kind == .file { text += Array(",\"size\":\(size)".utf8) }
    if let linkTarget { text += Array(",".utf8) + jsonMember("target", linkTarget) }
    if let modified {
      text += Array(",\"mtime\":\(modified.seconds)".utf8)
      text += Array(",\"mtimeNanoseconds\":\(modified.nanoseconds)".utf8)
    }
    if let sha256 { text += Array(",\"sha256\":\"\(sha256)\"".utf8) }
    return text + Array("}".utf8)
  }

  /// At least four octal digits.
  private var octalMode: String {
    let digits = String(mode, radix: 8)
    return String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
  }
}

extension ContentsNote {
  /// The note as one line of JSON without the newline.
  fileprivate var json: [UInt8] {
    var text = Array("{".utf8) + jsonMember("path", path)
    text += Array(",\"note\":\"\(kind.rawValue)\"".utf8)
    text += Array(",\"type\":\"\(type.rawValue)\",\"message\":".utf8)
    return text + jsonString(message) + Array("}".utf8)
  }
}

extension BundleEntry {
  /// The entry as one line of JSON without the newline, in the form of the list of contents.
  package var json: [UInt8] {
    ContentsEntry(path: path, kind: kind, mode: mode, size: size, linkTarget: linkTarget).json
  }
}

extension stat {
  var modified: Timestamp {
    Timestamp(seconds: st_mtim.tv_sec, nanoseconds: st_mtim.tv_nsec)
  }
}
