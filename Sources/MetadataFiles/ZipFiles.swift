import CArchive
import Glibc
import SystemFiles

/// Reads the files of interest in a zip archive into memory; nothing is written.
struct ZipFiles {
  private let path: String
  private let archive: OpaquePointer?
  private var total = 0
  private var files: [String: [UInt8]] = [:]
  private var names: Set<String> = []

  /// - Returns: Contents by name of the entry.
  /// - Throws: ``MetadataFilesError`` with code `malformed`, `encrypted`, `refusedEntry` or
  /// `limit`.
  static func read(_ path: String) throws(MetadataFilesError) -> [String: [UInt8]] {
    // libarchive hands out names in the charset of the thread's locale, and none at all where that
    // does not have their letters.
    let locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", nil)
    let former = locale.map { uselocale($0) }
    defer {
      if let former { uselocale(former) }
      if let locale { freelocale(locale) }
    }
    var reader = ZipFiles(path: path)
    defer { archive_read_free(reader.archive) }
    try reader.readAll()
    return reader.files
  }

  private init(path: String) {
    self.path = path
    archive = archive_read_new()
    archive_read_support_format_zip_seekable(archive)
    archive_read_support_format_zip_streamable(archive)
  }

  private mutating func readAll() throws(MetadataFilesError) {
    guard archive_read_open_filename(archive, path, 1 << 16) == ARCHIVE_OK else {
      throw damage()
    }
    var entry: OpaquePointer?
    while true {
      switch archive_read_next_header(archive, &entry) {
      case ARCHIVE_EOF: return
      case ARCHIVE_OK, ARCHIVE_WARN: try visit(entry)
      default: throw damage()
      }
    }
  }

  private mutating func visit(_ entry: OpaquePointer?) throws(MetadataFilesError) {
    // The name as UTF-8 where the archive says so; else the bytes that are there.
    guard let pointer = archive_entry_pathname_utf8(entry) ?? archive_entry_pathname(entry) else {
      throw failure(.refusedEntry, "an entry has a name that cannot be read", "")
    }
    let name = String(cString: pointer)
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    guard !name.isEmpty, !name.hasPrefix("/"), !parts.contains("..") else {
      throw failure(.refusedEntry, "the entry '\(name)' leads out of the archive", name)
    }
    guard names.insert(name).inserted else {
      throw failure(.refusedEntry, "the entry '\(name)' is there twice", name)
    }
    guard names.count <= MetadataLimits.entries else {
      throw failure(.limit, "there are more than \(MetadataLimits.entries) entries", name)
    }
    guard archive_entry_filetype(entry) == S_IFREG, let limit = WantedFile.limit(name) else {
      return
    }
    guard archive_entry_is_data_encrypted(entry) == 0 else {
      throw failure(
        .encrypted, "the entry '\(name)' is encrypted; unpack the archive with its password first",
        name)
    }
    try keep(name, limit: limit)
  }

  /// Reads an entry, whatever size the archive says that it has.
  private mutating func keep(_ name: String, limit: Int) throws(MetadataFilesError) {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = archive_read_data(archive, &buffer, buffer.count)
      guard count >= 0 else { throw damage(name) }
      if count == 0 { break }
      guard bytes.count + count <= limit else {
        throw failure(.limit, "the entry '\(name)' is larger than \(limit) bytes", name)
      }
      bytes += buffer[..<count]
    }
    total += bytes.count
    guard total <= MetadataLimits.total else {
      throw failure(.limit, "the metadata is larger than \(MetadataLimits.total) bytes", name)
    }
    files[name] = bytes
  }

  private func damage(_ name: String = "") -> MetadataFilesError {
    if archive_read_has_encrypted_entries(archive) > 0 {
      return failure(
        .encrypted, "the archive is encrypted; unpack it with its password first", name)
    }
    let text = archive_error_string(archive).map { String(cString: $0) } ?? "unknown reason"
    return failure(
      .malformed, "the archive is damaged" + (name.isEmpty ? "" : " in '\(name)'") + ": \(text)",
      name)
  }

  private func failure(
    _ code: MetadataFilesError.Code, _ reason: String, _ entry: String
  ) -> MetadataFilesError {
    var context = ["path": path]
    if !entry.isEmpty { context["entry"] = entry }
    return MetadataFilesError(code, "'\(path)': \(reason)", context: context)
  }
}
