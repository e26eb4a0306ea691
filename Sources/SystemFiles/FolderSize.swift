import Glibc

/// Bytes that the files below a folder take on the disk; links are not followed.
///
/// - Parameters:
///   - limit: Counting ends when more has been found.
///   - entries: Most entries that are looked at.
package func folderSize(_ path: String, limit: Int, entries: Int = 200_000) -> Int {
  var bytes = 0
  var left = entries
  var folders = [path]
  while let folder = folders.popLast() {
    guard
      let descriptor = try? OwnedDescriptor(opening: folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW),
      let names = try? listFolder(descriptor.number)
    else { continue }
    for name in names {
      left -= 1
      guard left > 0, bytes <= limit else { return bytes }
      guard let status = try? SystemFiles.status(of: name, in: descriptor.number) else { continue }
      bytes += Int(status.st_blocks) * 512
      if status.isFolder { folders.append("\(folder)/\(String(decoding: name, as: UTF8.self))") }
    }
  }
  return bytes
}
