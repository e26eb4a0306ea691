import CArchive
import Glibc
import SystemFiles

/// The uncompressed bytes of an archive file, read through libarchive's decompression.
///
/// Knows gzip, Zstandard and no compression, by the file's first bytes.
final class ArchiveStream {
  private let archive: OpaquePointer?
  private let file: OwnedDescriptor
  private let path: String
  /// Uncompressed bytes that were handed out.
  private(set) var position = 0

  /// - Throws: ``EvidenceError`` with the code `not-found`, `unreadable`, `not-a-bundle`,
  ///   `cut-off` when the file is empty, or `malformed`.
  init(path: String) throws {
    self.path = path
    do {
      file = try OwnedDescriptor(opening: path, O_RDONLY | O_NOCTTY | O_NONBLOCK)
      let status = try file.status()
      guard status.isRegular else {
        throw EvidenceError.notABundle(
          path, status.isFolder ? "it is a folder" : "it is no regular file")
      }
      guard status.st_size > 0 else {
        throw EvidenceError.notABundle(path, "it is empty", code: .cutOff)
      }
    } catch let failure as SystemFailure {
      let code: EvidenceError.Code = failure.number == ENOENT ? .notFound : .unreadable
      throw EvidenceError.system(code, "read", path: path, errno: failure.number)
    }
    let archive = archive_read_new()
    self.archive = archive
    archive_read_support_format_raw(archive)
    archive_read_support_filter_gzip(archive)
    archive_read_support_filter_zstd(archive)
    var entry: OpaquePointer?
    guard archive_read_open_fd(archive, file.number, 1 << 16) == ARCHIVE_OK,
      archive_read_next_header(archive, &entry) == ARCHIVE_OK
    else { throw failure() }
    // One filter, and the one that reads the file; more are not of the format, and could turn a few
    // bytes into years of work.
    guard archive_filter_count(archive) <= 2 else {
      throw EvidenceError(
        .malformed, "'\(ByteName(path).displayName)' is compressed more than once",
        context: ["path": path])
    }
  }

  deinit { archive_read_free(archive) }

  /// Fills the buffer, or as much of it as there are bytes left.
  ///
  /// - Returns: The number of bytes; less than the buffer's size at the end only.
  /// - Throws: ``EvidenceError`` with the code `cut-off` or `malformed` when the compressed data
  ///   end early or are damaged, `unreadable` when the system cannot read the file.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    var filled = 0
    while filled < buffer.count, let base = buffer.baseAddress {
      let count = archive_read_data(archive, base + filled, buffer.count - filled)
      guard count >= 0 else { throw failure() }
      if count == 0 { break }
      filled += count
    }
    position += filled
    return filled
  }

  /// Bytes of the file that follow the compressed data; call after everything was read.
  func trailingBytes() throws -> Int {
    do {
      return max(0, Int(try file.status().st_size) - Int(archive_filter_bytes(archive, -1)))
    } catch {
      throw EvidenceError.system(.unreadable, "read", path: path, errno: error.number)
    }
  }

  private func failure() -> EvidenceError {
    let text = archive_error_string(archive).map { String(cString: $0) } ?? "unknown reason"
    let number = archive_errno(archive)
    if number > 0, number < 200, number != EINVAL, number != EILSEQ {
      return .system(.unreadable, "read", path: path, errno: number)
    }
    let isCut = text.lowercased().contains("truncated")
    return EvidenceError(
      isCut ? .cutOff : .malformed,
      "'\(ByteName(path).displayName)' is "
        + (isCut ? "cut off: the file ends before its archive does" : "damaged: \(text)"),
      context: ["path": path])
  }
}
