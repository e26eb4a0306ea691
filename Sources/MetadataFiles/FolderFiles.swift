import Glibc
import SystemFiles

/// Reads the files of interest below a folder, without following links.
struct FolderFiles {
  private let root: String
  private var count = 0
  private var total = 0
  private var files: [String: [UInt8]] = [:]

  /// - Returns: Contents by path in the folder.
  /// - Throws: ``MetadataFilesError`` with code `unreadable` or `limit`.
  static func read(_ root: String) throws(MetadataFilesError) -> [String: [UInt8]] {
    var reader = FolderFiles(root: root)
    let folder: OwnedDescriptor
    do throws(SystemFailure) {
      folder = try OwnedDescriptor(opening: root, O_RDONLY | O_DIRECTORY)
    } catch {
      throw reader.failure(error, "")
    }
    try reader.walk(folder.number, at: "", depth: 0)
    return reader.files
  }

  private init(root: String) { self.root = root }

  private mutating func walk(
    _ folder: Int32, at path: String, depth: Int
  ) throws(MetadataFilesError) {
    guard depth <= MetadataLimits.depth else {
      throw limit("folders are nested more than \(MetadataLimits.depth) levels deep", path)
    }
    let names: [[UInt8]]
    do throws(SystemFailure) { names = try listFolder(folder) } catch { throw failure(error, path) }
    for name in names.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
      count += 1
      guard count <= MetadataLimits.entries else {
        throw limit("there are more than \(MetadataLimits.entries) files and folders", path)
      }
      let text = String(decoding: name, as: UTF8.self)
      try visit(name, in: folder, at: path.isEmpty ? text : "\(path)/\(text)", depth: depth)
    }
  }

  private mutating func visit(
    _ name: [UInt8], in folder: Int32, at path: String, depth: Int
  ) throws(MetadataFilesError) {
    let kind: stat
    do throws(SystemFailure) {
      kind = try SystemFiles.status(of: name, in: folder)
    } catch {
      throw failure(error, path)
    }
    if kind.isFolder {
      let inner: OwnedDescriptor
      do throws(SystemFailure) {
        inner = try OwnedDescriptor(at: folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
      } catch {
        throw failure(error, path)
      }
      try walk(inner.number, at: path, depth: depth + 1)
    } else if kind.isRegular, let limit = WantedFile.limit(path) {
      try keep(path, limit: limit)
    }
  }

  private mutating func keep(_ path: String, limit: Int) throws(MetadataFilesError) {
    do throws(FileError) {
      files[path] = try readFile("\(root)/\(path)", maxBytes: limit, .regularFileOnly)
    } catch {
      throw MetadataFilesError(
        error.code == .limit ? .limit : .unreadable, "\(error)",
        context: ["path": root, "entry": path])
    }
    total += files[path]?.count ?? 0
    guard total <= MetadataLimits.total else {
      throw self.limit("its metadata is larger than \(MetadataLimits.total) bytes", path)
    }
  }

  private func failure(_ failure: SystemFailure, _ path: String) -> MetadataFilesError {
    let full = path.isEmpty ? root : "\(root)/\(path)"
    return MetadataFilesError(
      .unreadable, "'\(full)' cannot be read: \(failure)", context: ["path": full])
  }

  private func limit(_ reason: String, _ path: String) -> MetadataFilesError {
    MetadataFilesError(.limit, "'\(root)': \(reason)", context: ["path": root, "entry": path])
  }
}
