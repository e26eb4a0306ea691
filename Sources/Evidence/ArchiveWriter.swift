import CArchive
import Glibc
import SystemFiles

/// Writes a tar archive in pax form through libarchive.
///
/// Names are handed over as bytes and stored as bytes. In the C locale, which is set for the thread
/// while a header is written, libarchive stores an ASCII name in the plain header and any other as
/// it is, under the record `hdrcharset=BINARY`, so no reader converts it to its locale or
/// normalizes its Unicode. Owners, times and everything else that differs from machine to machine
/// is left out.
final class ArchiveWriter {
  private var archive: OpaquePointer?
  private let path: String

  /// - Parameters:
  ///   - descriptor: An open file; stays open.
  ///   - path: The file's name for error messages.
  init(descriptor: Int32, path: String, compression: BundleCompression) throws {
    self.path = path
    archive = archive_write_new()
    try check(archive_write_set_format_pax_restricted(archive))
    switch compression {
    case .none:
      try check(archive_write_add_filter_none(archive))
    case .gzip:
      try check(archive_write_add_filter_gzip(archive))
      try check(archive_write_set_filter_option(archive, "gzip", "timestamp", nil))
    case .zstd:
      try check(archive_write_add_filter_zstd(archive))
      try check(archive_write_set_filter_option(archive, "zstd", "compression-level", "3"))
      // A libzstd without threads refuses this and packs with one.
      _ = archive_write_set_filter_option(archive, "zstd", "threads", "2")
    }
    try check(archive_write_set_bytes_per_block(archive, 1 << 17))
    // The archive ends with its end marker, so that every cut is noticed.
    try check(archive_write_set_bytes_in_last_block(archive, 1))
    try check(archive_write_open_fd(archive, descriptor))
  }

  deinit {
    // Without failing first, freeing would try to finish the archive.
    if archive != nil {
      archive_write_fail(archive)
      archive_write_free(archive)
    }
  }

  /// Starts an entry.
  ///
  /// - Parameter size: Number of bytes that ``write(_:)`` will get; 0 unless it is a file.
  func begin(
    _ path: ByteName, kind: ArchiveEntryKind, mode: UInt16, size: Int, linkTarget: ByteName? = nil
  ) throws {
    let entry = archive_entry_new()
    defer { archive_entry_free(entry) }
    withPath(path.bytes) { archive_entry_copy_pathname(entry, $0) }
    archive_entry_set_filetype(entry, UInt32(kind.fileType))
    archive_entry_set_perm(entry, mode_t(mode))
    archive_entry_set_size(entry, Int64(size))
    archive_entry_set_mtime(entry, 0, 0)
    if let linkTarget {
      withPath(linkTarget.bytes) { archive_entry_copy_symlink(entry, $0) }
    }
    let status = CLocale.use { archive_write_header(archive, entry) }
    // The warning that a name that is not ASCII is stored as it is.
    if status == ARCHIVE_WARN, !path.isASCII || linkTarget?.isASCII == false { return }
    try check(status)
  }

  /// Writes bytes of the entry that was begun last.
  func write(_ bytes: UnsafeRawBufferPointer) throws {
    var rest = bytes
    while let base = rest.baseAddress, !rest.isEmpty {
      let count = archive_write_data(archive, base, rest.count)
      guard count > 0 else { throw failure() }
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    }
  }

  /// Ends the archive.
  func finish() throws {
    try check(archive_write_close(archive))
    archive_write_free(archive)
    archive = nil
  }

  private func check(_ status: Int32) throws {
    // A warning says that a name had to be changed or a feature left out: not acceptable here.
    guard status == ARCHIVE_OK else { throw failure() }
  }

  private func failure() -> EvidenceError {
    let number = archive_errno(archive)
    if number > 0 {
      return .system(.unwritable, "write", path: path, errno: number)
    }
    let text = archive_error_string(archive).map { String(cString: $0) } ?? "unknown reason"
    return EvidenceError(
      .unwritable, "cannot write '\(path)': \(text)", context: ["path": path])
  }
}

/// The C locale for one thread.
private enum CLocale {
  /// Made once and never freed; `nil` when there is no memory.
  private nonisolated(unsafe) static let object = newlocale(1 << LC_CTYPE, "C", nil)

  static func use<T>(_ body: () -> T) -> T {
    let before = uselocale(object)
    defer { uselocale(before) }
    return body()
  }
}

/// The kinds of entries in a tar archive, as far as bundles and their lists know them.
package enum ArchiveEntryKind: String, Sendable, Codable {
  case file, folder, symlink, hardlink, fifo, socket
  case characterDevice = "character-device"
  case blockDevice = "block-device"
  /// Something that this version does not know.
  case other

  /// The bits of a file's mode.
  var fileType: mode_t {
    switch self {
    case .file, .hardlink, .other: S_IFREG
    case .folder: S_IFDIR
    case .symlink: S_IFLNK
    case .fifo: S_IFIFO
    case .socket: S_IFSOCK
    case .characterDevice: S_IFCHR
    case .blockDevice: S_IFBLK
    }
  }

  init(fileType: mode_t) {
    self =
      switch fileType & S_IFMT {
      case S_IFREG: .file
      case S_IFDIR: .folder
      case S_IFLNK: .symlink
      case S_IFIFO: .fifo
      case S_IFSOCK: .socket
      case S_IFCHR: .characterDevice
      case S_IFBLK: .blockDevice
      default: .other
      }
  }
}
