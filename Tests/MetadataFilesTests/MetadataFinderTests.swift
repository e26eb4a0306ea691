import Glibc
import IntentMetadata
import MetadataFiles
import SystemFiles
import TestSupport
import Testing

@Suite struct MetadataFinderTests {
  static func metadata(_ intent: String) -> [UInt8] {
    Array(
      #"{"actions":{"\#(intent)":{"identifier":"\#(intent)"}},"entities":{},"version":1}"#.utf8)
  }

  static func properties(_ identifier: String) -> [UInt8] {
    Array(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <plist version="1.0"><dict>
      <key>CFBundleIdentifier</key><string>\(identifier)</string>
      <key>CFBundleShortVersionString</key><string>1.2</string>
      <key>CFBundleVersion</key><string>34</string>
      </dict></plist>
      """.utf8)
  }

  /// An app for iOS with an extension, a framework and string tables.
  static let phone: [(String, [UInt8])] = [
    ("Notes.app/Info.plist", properties("org.example.notes")),
    ("Notes.app/Metadata.appintents/extract.actionsdata", metadata("Create")),
    ("Notes.app/Metadata.appintents/version.json", Array(#"{"toolsVersion":"17E192"}"#.utf8)),
    ("Notes.app/en.lproj/Localizable.strings", Array(#""a.key" = "A"; "b" = "B";"#.utf8)),
    ("Notes.app/de.lproj/Localizable.strings", Array(#""a.key" = "Ä";"#.utf8)),
    ("Notes.app/PlugIns/Widget.appex/Info.plist", properties("org.example.notes.widget")),
    ("Notes.app/PlugIns/Widget.appex/Metadata.appintents/extract.actionsdata", metadata("Show")),
    ("Notes.app/Frameworks/Kit.framework/Metadata.appintents/extract.actionsdata", metadata("Kit")),
  ]

  /// The same kind of app for macOS, with links in its framework as they are there.
  static let mac: [(String, [UInt8])] = [
    ("Notes.app/Contents/Info.plist", properties("org.example.mac")),
    ("Notes.app/Contents/Resources/Metadata.appintents/extract.actionsdata", metadata("Create")),
    (
      "Notes.app/Contents/Frameworks/Kit.framework/Versions/A/Resources/Metadata.appintents/"
        + "extract.actionsdata", metadata("Kit")
    ),
    (
      "Notes.app/Contents/Frameworks/Kit.framework/Versions/A/Resources/Info.plist",
      properties("org.example.kit")
    ),
  ]

  private func summary(_ found: [FoundMetadata]) -> [String] {
    found.map {
      "\($0.kind.rawValue) \($0.displayName) \($0.path): "
        + $0.metadata.intents.map(\.identifier).joined(separator: " ")
    }
  }

  private func write(_ files: [(String, [UInt8])], in root: String) throws {
    for (name, bytes) in files {
      try makeFolders(SystemFiles.folder(of: "\(root)/\(name)"))
      try writeSmallFile("\(root)/\(name)", bytes)
    }
  }

  private static let phoneSummary = [
    "app Notes.app (org.example.notes) Payload/Notes.app: Create",
    "extension Widget.appex (org.example.notes.widget) Payload/Notes.app/PlugIns/Widget.appex: "
      + "Show",
    "framework Kit.framework Payload/Notes.app/Frameworks/Kit.framework: Kit",
  ]

  @Test func folders() throws {
    let folder = try TemporaryFolder(name: "métadata é")
    try write(Self.phone.map { ("Payload/" + $0.0, $0.1) }, in: folder.path)
    let found = try MetadataFinder.find(folder.path)
    #expect(summary(found) == Self.phoneSummary)
    #expect(found[0].version == "1.2 (34)" && found[0].toolsVersion == "17E192")
    #expect(found[0].strings == ["en": ["a.key", "b"], "de": ["a.key"]])
    #expect(found[1].strings == nil)

    let app = try MetadataFinder.find("\(folder.path)/Payload/Notes.app")
    #expect(
      summary(app).first == "app Notes.app (org.example.notes) : Create")
    let bare = try MetadataFinder.find("\(folder.path)/Payload/Notes.app/Metadata.appintents")
    #expect(summary(bare) == ["bare Metadata.appintents : Create"])
    #expect(bare[0].toolsVersion == "17E192")
    let file = try MetadataFinder.find(
      "\(folder.path)/Payload/Notes.app/Metadata.appintents/extract.actionsdata")
    #expect(summary(file) == ["bare extract.actionsdata : Create"])
  }

  @Test func bundlesOfMacOSAndTheirLinks() throws {
    let folder = try TemporaryFolder()
    try write(Self.mac, in: folder.path)
    let kit = "\(folder.path)/Notes.app/Contents/Frameworks/Kit.framework"
    #expect(symlink("A", "\(kit)/Versions/Current") == 0)
    #expect(symlink("Versions/Current/Resources", "\(kit)/Resources") == 0)
    #expect(symlink("/", "\(folder.path)/everything") == 0)
    #expect(
      summary(try MetadataFinder.find(folder.path)) == [
        "app Notes.app (org.example.mac) Notes.app: Create",
        "framework Kit.framework (org.example.kit) Notes.app/Contents/Frameworks/Kit.framework: "
          + "Kit",
      ])
  }

  @Test func archives() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/Ünterlagen.ipa"
    try ZipArchive.write(
      Self.phone.map { .file("Payload/" + $0.0, $0.1) }
        + [.link("Payload/Notes.app/link", to: "/etc"), .folder("Payload/Ä")], to: path)
    #expect(summary(try MetadataFinder.find(path)) == Self.phoneSummary)
  }

  @Test(arguments: ["../Metadata.appintents/extract.actionsdata", "/etc/x", "a/../../b"])
  func namesThatLeadElsewhere(_ name: String) throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/app.zip"
    try ZipArchive.write(
      [
        .file("A.app/Metadata.appintents/extract.actionsdata", Self.metadata("A")),
        .file(name, Self.metadata("B")),
      ], to: path)
    let error = #expect(throws: MetadataFilesError.self) { try MetadataFinder.find(path) }
    #expect(error?.code == .refusedEntry && error?.context["entry"] == name)
  }

  @Test func damage() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/app.zip"
    let name = "A.app/Metadata.appintents/extract.actionsdata"
    func code(_ body: () throws -> Void) throws -> MetadataFilesError.Code? {
      try body()
      return #expect(throws: MetadataFilesError.self) { try MetadataFinder.find(path) }?.code
    }
    let twice = try code {
      try ZipArchive.write(
        [.file(name, Self.metadata("A")), .file(name, Self.metadata("B"))], to: path)
    }
    #expect(twice == .refusedEntry)
    let encrypted = try code {
      try ZipArchive.write([.file(name, Self.metadata("A"))], to: path, password: "secret")
    }
    #expect(encrypted == .encrypted)
    let bomb = try code {
      try ZipArchive.write(
        [.file(name, [UInt8](repeating: 0x20, count: MetadataLimits.metadata + 1))], to: path)
    }
    #expect(bomb == .limit)
    let empty = try code { try ZipArchive.write([.file("A.app/a", [1])], to: path) }
    #expect(empty == .noMetadata)
    let cut = try code {
      let noise = (0..<4096).map { UInt8(truncatingIfNeeded: $0 &* 167 ^ ($0 >> 3)) }
      try ZipArchive.write([.file(name, noise)], to: path)
      let bytes = try readFile(path, maxBytes: 1 << 20)
      try writeSmallFile(path, Array(bytes[..<(bytes.count / 2)]))
    }
    #expect(cut == .malformed)
    let truncated = try code {
      try ZipArchive.write([.file(name, Array(Self.metadata("A").dropLast(9)))], to: path)
    }
    #expect(truncated == .invalidMetadata)
    let other = try code { try writeSmallFile(path, Array("#!/bin/sh\n".utf8)) }
    #expect(other == .unknownKind)
    let missing = try code { unlink(path) }
    #expect(missing == .notFound)
  }

  @Test func largeFiles() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/Metadata.appintents/extract.actionsdata"
    try makeFolders(folder.path + "/Metadata.appintents")
    let file = try OwnedDescriptor(opening: path, O_WRONLY | O_CREAT)
    #expect(ftruncate(file.number, 500 << 20) == 0)
    for path in [path, folder.path] {
      let error = #expect(throws: MetadataFilesError.self) { try MetadataFinder.find(path) }
      #expect(error?.code == .limit)
    }
  }

  /// Whatever the bytes are: an error or metadata, never more.
  @Test func noise() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/app.ipa"
    try ZipArchive.write(Self.phone.map { .file("Payload/" + $0.0, $0.1) }, to: path)
    let original = try readFile(path, maxBytes: 1 << 20)
    var generator = SeededGenerator(seed: 20261130)
    var errors = 0
    for _ in 0..<1000 {
      var bytes = original
      for _ in 0..<Int.random(in: 1...8, using: &generator) {
        let index = Int.random(in: 4..<bytes.count, using: &generator)
        bytes[index] = UInt8.random(in: 0...255, using: &generator)
      }
      if Bool.random(using: &generator) {
        bytes.removeLast(Int.random(in: 0..<bytes.count - 4, using: &generator))
      }
      try writeSmallFile(path, bytes)
      do throws(MetadataFilesError) {
        _ = try MetadataFinder.find(path)
      } catch {
        errors += 1
        #expect(!error.message.isEmpty)
      }
    }
    #expect(errors > 100)
  }
}
