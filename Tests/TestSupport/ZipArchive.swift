import CArchive
import Glibc
import Testing

/// Writes zip archives for tests, honest ones and others.
package enum ZipArchive {
  package enum Entry {
    case file(String, [UInt8])
    case folder(String)
    case link(String, to: String)
  }

  /// - Parameters:
  ///   - entries: In their order; names are not looked at.
  ///   - password: Encrypts the files.
  package static func write(_ entries: [Entry], to path: String, password: String? = nil) throws {
    let locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", nil)
    let former = uselocale(locale)
    defer {
      uselocale(former)
      freelocale(locale)
    }
    let archive = archive_write_new()
    defer { archive_write_free(archive) }
    archive_write_set_format_zip(archive)
    archive_write_set_options(archive, "hdrcharset=UTF-8")
    if let password {
      archive_write_set_options(archive, "zip:encryption=traditional")
      archive_write_set_passphrase(archive, password)
    }
    try #require(archive_write_open_filename(archive, path) == ARCHIVE_OK)
    for entry in entries {
      let header = archive_entry_new()
      defer { archive_entry_free(header) }
      var bytes: [UInt8] = []
      switch entry {
      case .file(let name, let contents):
        archive_entry_set_pathname_utf8(header, name)
        archive_entry_set_filetype(header, 0o100000)
        archive_entry_set_size(header, la_int64_t(contents.count))
        bytes = contents
      case .folder(let name):
        archive_entry_set_pathname_utf8(header, name)
        archive_entry_set_filetype(header, 0o040000)
      case .link(let name, let target):
        archive_entry_set_pathname_utf8(header, name)
        archive_entry_set_filetype(header, 0o120000)
        archive_entry_set_symlink_utf8(header, target)
      }
      archive_entry_set_perm(header, 0o644)
      try #require(archive_write_header(archive, header) >= ARCHIVE_WARN)
      if !bytes.isEmpty { try #require(archive_write_data(archive, bytes, bytes.count) >= 0) }
    }
    try #require(archive_write_close(archive) == ARCHIVE_OK)
  }
}
