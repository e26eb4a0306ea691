import CArchive
import Glibc
import SystemFiles

/// The SHA-256 digest of a file's bytes, as `sha256:` and 64 hexadecimal digits.
///
/// - Throws: ``EvidenceError`` with the code `notFound` or `unreadable`.
package func fileDigest(_ path: String) throws(EvidenceError) -> String {
  let file: OwnedDescriptor
  do throws(SystemFailure) {
    file = try OwnedDescriptor(opening: path, O_RDONLY | O_NOCTTY | O_NONBLOCK)
  } catch {
    throw .system(
      error.number == ENOENT ? .notFound : .unreadable, "read", path: path, errno: error.number)
  }
  var hasher = SHA256()
  var buffer = [UInt8](repeating: 0, count: 1 << 20)
  while true {
    let count = read(file.number, &buffer, buffer.count)
    if count < 0, errno == EINTR { continue }
    guard count >= 0 else { throw .system(.unreadable, "read", path: path, errno: errno) }
    if count == 0 { break }
    buffer.withUnsafeBytes { hasher.update(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
  }
  return "sha256:" + hexadecimal(hasher.finish())
}

/// The version of libarchive, which writes bundles, like `3.6.2`.
package var libarchiveVersion: String {
  let text = archive_version_string().map { String(cString: $0) } ?? ""
  return text.split(separator: " ").last.map { String($0) } ?? text
}
