import Glibc
import IntentMetadata
import IntentWire
import SystemFiles

/// Finds App Intents metadata in what builds make: apps, extensions, frameworks, `.xcarchive`
/// folders, `.ipa` and `.zip` archives, `Metadata.appintents` folders, and the file itself.
package enum MetadataFinder {
  /// All metadata below a path, in the order of the places where they are; an app's own before that
  /// of what is in it.
  ///
  /// - Throws: ``MetadataFilesError``; with code `noMetadata` when there is none.
  package static func find(_ path: String) throws(MetadataFilesError) -> [FoundMetadata] {
    let files = try contents(path)
    var found: [FoundMetadata] = []
    for name in files.keys.sorted() where isMetadata(name) {
      found.append(try read(name, in: files, of: path))
    }
    guard !found.isEmpty else {
      throw MetadataFilesError(
        .noMetadata,
        "'\(path)' holds no App Intents metadata: no \(WantedFile.metadataFolder)/"
          + "\(WantedFile.metadata) is in it; an app without intents has none",
        context: ["path": path])
    }
    return found.sorted { ($0.path.utf8.count, $0.path) < ($1.path.utf8.count, $1.path) }
  }

  private static func isMetadata(_ name: String) -> Bool {
    name == WantedFile.metadata || name.hasSuffix("/" + WantedFile.metadata)
  }

  // MARK: Contents

  private static func contents(_ path: String) throws(MetadataFilesError) -> [String: [UInt8]] {
    var info = stat()
    guard stat(path, &info) == 0 else {
      let number = errno
      throw MetadataFilesError(
        number == ENOENT ? .notFound : .unreadable,
        number == ENOENT
          ? "there is nothing at '\(path)'" : "'\(path)' cannot be read: \(errorText(number))",
        context: ["path": path])
    }
    if info.isFolder { return try FolderFiles.read(path) }
    guard info.isRegular else { throw unknownKind(path, "it is no file and no folder") }
    return try file(path)
  }

  private static func file(_ path: String) throws(MetadataFilesError) -> [String: [UInt8]] {
    let start: [UInt8]
    do throws(SystemFailure) {
      let file = try OwnedDescriptor(opening: path, O_RDONLY | O_NOCTTY)
      var buffer = [UInt8](repeating: 0, count: 4)
      let count = try retrying { Glibc.read(file.number, &buffer, buffer.count) }
      start = Array(buffer[..<count])
    } catch {
      throw MetadataFilesError(
        .unreadable, "'\(path)' cannot be read: \(error)", context: ["path": path])
    }
    // A local file header, or the end of an empty archive (APPNOTE.TXT, 4.3.7 and 4.3.16).
    if start == [0x50, 0x4B, 0x03, 0x04] || start == [0x50, 0x4B, 0x05, 0x06] {
      return try ZipFiles.read(path)
    }
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try readFile(path, maxBytes: MetadataLimits.metadata)
    } catch {
      throw MetadataFilesError(
        error.code == .limit ? .limit : .unreadable, "\(error)", context: ["path": path])
    }
    let space: [UInt8] = [0x20, 0x09, 0x0A, 0x0D]
    let isJSON = bytes.first { !space.contains($0) } == UInt8(ascii: "{")
    guard isJSON || lastComponent(of: path) == WantedFile.metadata else {
      throw unknownKind(
        path, "it is no folder, no zip archive (.ipa, .zip) and no \(WantedFile.metadata)")
    }
    return [WantedFile.metadata: bytes]
  }

  private static func unknownKind(_ path: String, _ reason: String) -> MetadataFilesError {
    MetadataFilesError(
      .unknownKind, "'\(path)' is nothing that metadata is read from: \(reason)",
      context: ["path": path])
  }

  // MARK: One bundle

  private static func read(
    _ name: String, in files: [String: [UInt8]], of path: String
  ) throws(MetadataFilesError) -> FoundMetadata {
    let place = BundlePlace(metadata: name, in: path)
    let metadata: AppMetadata
    do throws(MetadataError) {
      metadata = try AppMetadata(reading: files[name] ?? [])
    } catch {
      let shown = name == WantedFile.metadata ? path : "\(path)/\(name)"
      throw MetadataFilesError(
        .invalidMetadata, "'\(shown)': \(error)",
        context: error.context.merging(["file": shown]) { first, _ in first }, cause: error)
    }
    let version = files[place.inMetadataFolder("version.json")]
      .flatMap { try? WireJSON(reading: $0) }
    let properties = place.propertyLists.lazy.compactMap { files[$0] }.first
      .flatMap { BundleProperties(reading: $0) }
    return FoundMetadata(
      kind: place.kind, name: place.name, path: place.bundle,
      bundleIdentifier: properties?.identifier, version: properties?.shownVersion,
      toolsVersion: version?["toolsVersion"]?.string,
      strings: StringTables.keys(in: place.resources, files), metadata: metadata)
  }
}

/// Where a file of metadata lies, and whose it is.
struct BundlePlace {
  /// The folder of the metadata, with a slash at its end unless it is the top.
  private let folder: String
  /// The folder that the `Metadata.appintents` folder is in, likewise.
  let resources: String
  /// The bundle; empty when it is what was given.
  let bundle: String
  let name: String
  let kind: FoundMetadata.Kind

  private static let kinds: [(suffix: String, kind: FoundMetadata.Kind)] = [
    (".app", .app), (".appex", .appExtension), (".framework", .framework),
  ]

  init(metadata: String, in root: String) {
    var parts = metadata.split(separator: "/").dropLast().map { String($0) }
    folder = parts.isEmpty ? "" : parts.joined(separator: "/") + "/"
    if parts.last == WantedFile.metadataFolder { parts.removeLast() }
    resources = parts.isEmpty ? "" : parts.joined(separator: "/") + "/"
    let own = lastComponent(of: root)
    while let part = parts.last {
      if let kind = Self.kinds.first(where: { part.hasSuffix($0.suffix) })?.kind {
        (bundle, name, self.kind) = (parts.joined(separator: "/"), part, kind)
        return
      }
      parts.removeLast()
    }
    bundle = ""
    name = own
    kind = Self.kinds.first { own.hasSuffix($0.suffix) }?.kind ?? .bare
  }

  func inMetadataFolder(_ name: String) -> String { folder + name }

  /// Where the bundle's `Info.plist` may be: of iOS and of frameworks, and of macOS.
  var propertyLists: [String] {
    let top = bundle.isEmpty ? "" : bundle + "/"
    return ["\(top)Info.plist", "\(top)Contents/Info.plist", "\(resources)Info.plist"]
  }
}
