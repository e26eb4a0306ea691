import Glibc
import SystemFiles

/// Writes the entries of one bundle and keeps the list of them.
final class BundlePacker {
  let archive: ArchiveWriter
  let limits: BundleLimits
  /// Files that are left out wherever they are met.
  var excluded: Set<FileIdentity>
  /// Whether the packing is to be given up.
  var isStopped: () -> Bool = { false }
  /// Whether nothing is kept of files but their bytes and whether they are programs, so that the
  /// same files have the same entries wherever they come from.
  var isUniform = false
  /// Bytes of the files so far.
  private(set) var totalBytes = 0
  /// The first link that may lead out of the archive.
  private(set) var linkOutside: ByteName?
  /// `nil` for a bundle that does not say what was taken out.
  let redaction: BundleRedaction?
  private(set) var list = ContentsListWriter()
  private var isEnding = false
  private var buffer = [UInt8](repeating: 0, count: 1 << 19)

  init(
    archive: ArchiveWriter, limits: BundleLimits, excluded: Set<FileIdentity>,
    redaction: BundleRedaction? = nil
  ) {
    self.redaction = redaction
    self.archive = archive
    self.limits = limits
    self.excluded = excluded
  }

  /// Adds bytes in memory as a file.
  ///
  /// - Parameter counts: How many secrets were taken out of them already, by the rule.
  func add(
    _ path: ByteName, bytes: [UInt8], mode: UInt16, alreadyTaken counts: [String: Int] = [:]
  ) throws {
    let redacted = try redaction?.redacted(bytes, of: path, alreadyTaken: counts) ?? bytes
    if path == ByteName(BundlePaths.manifest), redacted != bytes {
      try checkIsJSON(redacted)
    }
    try addPlain(path, bytes: redacted, mode: mode)
  }

  /// A pattern of the package's own may take more than the contents of a string.
  private func checkIsJSON(_ bytes: [UInt8]) throws {
    do {
      _ = try decodedJSON(BundleManifest.self, from: bytes)
    } catch {
      throw EvidenceError(
        .invalidContents,
        "what the redaction leaves of the manifest cannot be read; a pattern for secrets must not "
          + "match quotation marks or backslashes", cause: error)
    }
  }

  /// Adds how much was taken out.
  func addRedactions() throws {
    guard let redaction else { return }
    let bytes = try encodedJSON(redaction.report, pretty: true) + [10]
    isEnding = true
    try addPlain(ByteName(BundlePaths.redactions), bytes: bytes, mode: 0o644)
  }

  /// Bytes that are kept free for what was taken out.
  private var redactionBytes: Int {
    redaction == nil || isEnding ? 0 : RedactionReport.mostBytes
  }

  private func addPlain(_ path: ByteName, bytes: [UInt8], mode: UInt16) throws {
    guard try hasRoom(path, .file, bytes: bytes.count) else { return }
    try archive.begin(path, kind: .file, mode: mode, size: bytes.count)
    try bytes.withUnsafeBytes { try archive.write($0) }
    totalBytes += bytes.count
    list.add(
      ContentsEntry(
        path: path, kind: .file, mode: mode, size: bytes.count,
        sha256: hexadecimal(SHA256.digest(of: bytes))))
  }

  /// Adds a folder's own entry.
  func addFolder(_ path: ByteName, _ status: stat) throws {
    guard try hasRoom(path, .folder, bytes: 0) else { return }
    let mode = mode(of: status)
    try archive.begin(path, kind: .folder, mode: mode, size: 0)
    list.add(
      ContentsEntry(
        path: path, kind: .folder, mode: mode, size: 0, modified: time(of: status)))
  }

  /// Adds a link as a link.
  func addLink(_ path: ByteName, target: ByteName, _ status: stat) throws {
    if let redaction, try redaction.redacted(target, countedFor: path) != target {
      return note(path, .excluded, .symlink, "left out: where it leads holds a secret")
    }
    guard try hasRoom(path, .symlink, bytes: 0, target: target) else { return }
    if linkOutside == nil, BundleExtractor.leadsOutside(target, path.components) {
      linkOutside = path
    }
    try archive.begin(path, kind: .symlink, mode: 0o777, size: 0, linkTarget: target)
    list.add(
      ContentsEntry(
        path: path, kind: .symlink, mode: 0o777, size: 0, linkTarget: target,
        modified: time(of: status)))
  }

  /// Adds an open file with exactly the size that it has now: what is appended later is left out,
  /// what is cut off meanwhile is replaced by zero bytes, and either is noted.
  func addFile(_ path: ByteName, descriptor: Int32) throws {
    var before = stat()
    guard fstat(descriptor, &before) == 0 else { return noteFailure(path, .file, errno) }
    guard before.isRegular else { return noteSpecial(path, before) }
    if excluded.contains(before.identity) { return noteExcluded(path, .file) }
    let size = Int(before.st_size)
    guard try hasRoom(path, .file, bytes: size) else { return }
    let mode = mode(of: before)
    try archive.begin(path, kind: .file, mode: mode, size: size)
    var hash = SHA256()
    let problem = try copy(size, from: descriptor, path: path, hash: &hash)
    totalBytes += size
    list.add(
      ContentsEntry(
        path: path, kind: .file, mode: mode, size: size, modified: time(of: before),
        sha256: hexadecimal(hash.finish())))
    if let problem { return list.add(problem, maxBytes: maxNoteBytes) }
    var after = stat()
    guard fstat(descriptor, &after) == 0,
      after.st_size == before.st_size, after.modified == before.modified
    else {
      return note(
        path, .changed, .file,
        "changed while it was packed: the entry holds the first \(size) bytes, "
          + "the file had \(after.st_size) afterwards")
    }
  }

  /// The permissions that an entry has.
  private func mode(of status: stat) -> UInt16 {
    guard isUniform else { return status.permissions }
    return status.isFolder || status.permissions & 0o111 != 0 ? 0o755 : 0o644
  }

  private func time(of status: stat) -> Timestamp? { isUniform ? nil : status.modified }

  /// Adds what was taken out, and the list of contents as the last entry, and ends the archive.
  func finish() throws {
    try addRedactions()
    let text = list.text()
    try archive.begin(ByteName(BundlePaths.contents), kind: .file, mode: 0o644, size: text.count)
    try text.withUnsafeBytes { try archive.write($0) }
    try archive.finish()
  }

  func note(_ path: ByteName, _ kind: ContentsNote.Kind, _ type: ArchiveEntryKind, _ text: String) {
    list.add(
      ContentsNote(path: path, kind: kind, type: type, message: text), maxBytes: maxNoteBytes)
  }

  func noteFailure(_ path: ByteName, _ type: ArchiveEntryKind, _ number: Int32) {
    let kind: ContentsNote.Kind = number == ENOENT ? .missing : .unreadable
    note(path, kind, type, "\(SystemFailure(number))")
  }

  func noteSpecial(_ path: ByteName, _ status: stat) {
    let type = ArchiveEntryKind(fileType: status.st_mode)
    note(path, .special, type, "a \(type.rawValue) is listed, not packed")
  }

  func noteExcluded(_ path: ByteName, _ type: ArchiveEntryKind) {
    note(path, .excluded, type, "left out: it is the bundle itself or was excluded")
  }

  /// Room for notes in the list of contents, 16 MiB, less when the limits are narrow.
  private var maxNoteBytes: Int {
    min(16 << 20, limits.contentsBytes / 4, limits.totalBytes / 4)
  }

  /// Whether one more entry fits into the limits, with its line in the list of contents; notes it
  /// when not. The list of contents is an entry, too.
  private func hasRoom(
    _ path: ByteName, _ type: ArchiveEntryKind, bytes: Int, target: ByteName? = nil
  ) throws -> Bool {
    try checkStop()
    if list.count + (redaction == nil || isEnding ? 2 : 3) > limits.entries {
      note(path, .limit, type, "left out: a bundle holds at most \(limits.entries) entries")
      return false
    }
    let listBytes =
      list.entryBytes + maxNoteBytes + ContentsListWriter.maxLineBytes(path, target: target)
      + ContentsListWriter.frameBytes
    if listBytes > limits.contentsBytes {
      note(
        path, .limit, type,
        "left out: a list of contents has at most \(limits.contentsBytes) bytes")
      return false
    }
    if bytes > limits.totalBytes - totalBytes - listBytes - redactionBytes {
      note(
        path, .limit, type,
        "left out: it has \(bytes) bytes, a bundle holds at most \(limits.totalBytes)")
      return false
    }
    return true
  }

  private func checkStop() throws {
    if isStopped() { throw EvidenceError(.stopped, "the packing was given up") }
  }

  /// Copies so many bytes, zero bytes where the file has none; returns what went wrong.
  private func copy(
    _ size: Int, from descriptor: Int32, path: ByteName, hash: inout SHA256
  ) throws -> ContentsNote? {
    var problem: ContentsNote?
    var rest = size
    redaction?.begin()
    while rest > 0 {
      try checkStop()
      let wanted = min(rest, buffer.count)
      let count = try buffer.withUnsafeMutableBytes { bytes in
        var count = 0
        if problem == nil {
          do throws(SystemFailure) {
            count = try retrying { read(descriptor, bytes.baseAddress, wanted) }
          } catch {
            problem = ContentsNote(
              path: path, kind: .unreadable, type: .file,
              message: "\(error) after \(size - rest) of \(size) bytes; zero bytes follow")
          }
        }
        if count == 0 {
          problem =
            problem
            ?? ContentsNote(
              path: path, kind: .changed, type: .file,
              message: "was cut to \(size - rest) bytes while it was packed; "
                + "zero bytes follow up to \(size)")
          count = wanted
          for index in 0..<count { bytes[index] = 0 }
        }
        let piece = UnsafeRawBufferPointer(rebasing: bytes[..<count])
        guard let redaction else {
          hash.update(piece)
          try archive.write(piece)
          return count
        }
        try redaction.feed(piece) { piece in
          hash.update(piece)
          try archive.write(piece)
        }
        return count
      }
      rest -= count
    }
    try redaction?.finish(path) { piece in
      hash.update(piece)
      try archive.write(piece)
    }
    return problem
  }
}
