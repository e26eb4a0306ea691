import FoundationEssentials
import Glibc
import RunModel
import SystemFiles
import TestSupport
import Testing

@testable import Evidence

@Suite struct FailureBundleTests {
  private func contents(_ scratch: Scratch) throws -> BundleContents {
    try scratch.write("box/home/a.txt", "hello\n")
    try scratch.write("out.log", "line\n")
    return BundleContents(
      manifest: .sample(),
      entries: [
        .init("container", .item("\(scratch.path)/box")),
        .init("notes/extra.txt", .bytes([1, 2])),
        .init("index.sqlite", .bytes([])),
        .init("crash/2.json", .bytes(Array("{}".utf8))),
        .init("crash/1.json", .bytes(Array("{}".utf8))),
        .init("repro.sh", .bytes(Array("#!/bin/sh\n".utf8), mode: 0o755)),
        .init("command.json", .bytes(Array("{}".utf8))),
        .init("events.jsonl", .bytes(Array("{}\n".utf8))),
        .init("logs/stdout.log", .item("\(scratch.path)/out.log")),
        .init("logs/stderr.log", .item("\(scratch.path)/missing.log")),
      ])
  }

  @Test(arguments: BundleCompression.allCases)
  func aBundleReadsBack(_ compression: BundleCompression) throws {
    let scratch = try Scratch()
    let contents = try contents(scratch)
    let path = "\(scratch.path)/deep/er/b.\(compression.fileExtension)"
    let size = try FailureBundle.write(contents, to: path, compression: compression)
    #expect(try readFile(path, maxBytes: 1 << 20).count == size)
    let reader = BundleReader(path: path)
    #expect(try reader.manifest() == contents.manifest)
    #expect(
      try reader.entries().map(\.path.displayName) == [
        "manifest.json", "logs/stdout.log", "events.jsonl", "command.json", "repro.sh",
        "crash/1.json", "crash/2.json", "index.sqlite", "container", "container/home",
        "container/home/a.txt", "notes/extra.txt", "contents.json",
      ])
    #expect(try reader.read("container/home/a.txt") == Array("hello\n".utf8))
    #expect(try reader.entries().first { $0.path == ByteName("repro.sh") }?.mode == 0o755)
    let check = try reader.verify()
    #expect(check.isWhole, "\(check.problems)")
    #expect(check.manifest == contents.manifest)
    #expect(check.completeEntries == 13)
    #expect(check.notes.map(\.path.displayName) == ["logs/stderr.log"])
    #expect(check.notes.first?.kind == .missing)
    #expect(throws: EvidenceError.self) { try reader.read("nothing") }
    #expect(throws: EvidenceError.self) { try reader.read("logs/stdout.log", maxBytes: 4) }
  }

  @Test(arguments: BundleCompression.allCases)
  func theSameContentsGiveTheSameBytes(_ compression: BundleCompression) throws {
    let scratch = try Scratch()
    var contents = try contents(scratch)
    var random = SeededGenerator(seed: 1)
    for number in 0..<40 {
      let word = UInt8(truncatingIfNeeded: random.next())
      try scratch.write(
        "box/data/\(number)",
        (0..<60_000).map { $0 % 7 == 0 ? UInt8(truncatingIfNeeded: random.next()) : word })
    }
    var results: Set<[UInt8]> = []
    for round in 0..<6 {
      contents.entries.shuffle(using: &random)
      let path = "\(scratch.path)/\(round)/b"
      try FailureBundle.write(contents, to: path, compression: compression)
      results.insert(SHA256.digest(of: try readFile(path, maxBytes: 1 << 26)))
    }
    #expect(results.count == 1)
  }

  @Test func theManifestStatesWhatIsAbsent() throws {
    let text = try String(decoding: encodedJSON(BundleManifest.sample()), as: UTF8.self)
    for key in ["bundleIdentifier", "intentName", "fixtureToken", "skip", "stdout"] {
      #expect(text.contains("\"\(key)\":null"))
    }
    #expect(text.contains("\"format\":\"1.0\""))
  }

  @Test(arguments: ["2.0", "3.7"])
  func aNewerMajorVersionIsRefused(_ format: String) throws {
    let scratch = try Scratch()
    var manifest = BundleManifest.sample()
    manifest.format = try #require(FormatVersion(parsing: format))
    let path = "\(scratch.path)/b.tar"
    try FailureBundle.write(BundleContents(manifest: manifest, entries: []), to: path)
    let reader = BundleReader(path: path)
    for call in [
      { _ = try reader.manifest() }, { _ = try reader.verify() },
      { _ = try reader.extract(to: "\(scratch.path)/out") },
    ] {
      let error = #expect(throws: EvidenceError.self) { try call() }
      #expect(error?.code == .newerFormat)
      #expect(error?.message.contains(format) == true)
    }
    #expect(FileIdentity(path: "\(scratch.path)/out") == nil)
  }

  @Test func aNewerMinorVersionWithUnknownKeysIsRead() throws {
    let scratch = try Scratch()
    var manifest = BundleManifest.sample()
    manifest.format = FormatVersion(major: 1, minor: 4)
    let text = try String(decoding: encodedJSON(manifest), as: UTF8.self)
    var tar = TarBuilder()
    tar.add("manifest.json", data: "{\"later\":{\"a\":[1]}," + text.dropFirst())
    tar.finish()
    try scratch.write("b.tar", tar.bytes)
    #expect(try BundleReader(path: "\(scratch.path)/b.tar").manifest() == manifest)
  }

  @Test(arguments: [
    "manifest.json", "contents.json", "/abs", "a/../b", "", "a//b", "./a", "logs/stdout.log/x",
    "logs/stdout.log",
  ])
  func entriesThatContradictTheFormatAreRefused(_ entry: String) throws {
    let scratch = try Scratch()
    var contents = try contents(scratch)
    contents.entries.append(.init(entry, .bytes([])))
    let error = #expect(throws: EvidenceError.self) {
      try FailureBundle.write(contents, to: "\(scratch.path)/new/b.tar")
    }
    #expect(error?.code == .invalidContents)
    #expect(FileIdentity(path: "\(scratch.path)/new") == nil)
  }

  @Test func aBundleThatCannotBeWrittenLeavesNothing() throws {
    let scratch = try Scratch()
    let contents = try contents(scratch)
    try makeFolders("\(scratch.path)/folder/inside")
    try scratch.write("file", "x")
    for path in ["/proc/b.tar", "\(scratch.path)/folder", "\(scratch.path)/file/b.tar"] {
      let error = #expect(throws: EvidenceError.self) {
        try FailureBundle.write(contents, to: path)
      }
      #expect(error?.code == .unwritable)
    }
    let names = try TreeSnapshot(scratch.path).lines
    #expect(!names.contains { $0.contains(".carrel-") }, "\(names)")
  }

  @Test func aReadOnlyFolderIsAnErrorForAnOrdinaryUser() throws {
    let scratch = try Scratch()
    let contents = try contents(scratch)
    chmod(scratch.path, 0o755)
    try makeFolders("\(scratch.path)/closed")
    chmod("\(scratch.path)/closed", 0o555)
    asOrdinaryUser {
      for path in ["\(scratch.path)/closed/b.tar", "\(scratch.path)/closed/new/b.tar"] {
        let error = #expect(throws: EvidenceError.self) {
          try FailureBundle.write(contents, to: path)
        }
        #expect(error?.code == .unwritable)
        #expect(error?.description.contains("Permission denied") == true)
      }
      #expect(throws: EvidenceError.self) {
        try RunRecord.create(inRunsFolder: "\(scratch.path)/closed/runs", at: 0)
      }
    }
    #expect(try TreeSnapshot("\(scratch.path)/closed").lines.isEmpty)
  }

  @Test(.enabled(if: geteuid() == 0, "mounting a small file system takes root"))
  func aFullDiskLeavesNothing() throws {
    let scratch = try Scratch()
    let contents = try contents(scratch)
    var random = SeededGenerator(seed: 3)
    try scratch.write(
      "box/noise", (0..<600_000).map { _ in UInt8(truncatingIfNeeded: random.next()) })
    let disk = "\(scratch.path)/disk"
    try makeFolders(disk)
    try #require(mount("none", disk, "tmpfs", 0, "size=256k") == 0)
    defer { umount(disk) }
    for compression in BundleCompression.allCases {
      let error = #expect(throws: EvidenceError.self) {
        try FailureBundle.write(contents, to: "\(disk)/b.tar", compression: compression)
      }
      #expect(error?.code == .unwritable)
      #expect(error?.description.contains("No space left") == true, "\(String(describing: error))")
      #expect(try TreeSnapshot(disk).lines.isEmpty)
    }
    // Extracting on a full disk leaves nothing either.
    try FailureBundle.write(contents, to: "\(scratch.path)/b.tar")
    let error = #expect(throws: EvidenceError.self) {
      try BundleReader(path: "\(scratch.path)/b.tar").extract(to: "\(disk)/out")
    }
    #expect(error?.code == .unwritable)
    #expect(try TreeSnapshot(disk).lines.isEmpty)
  }

  @Test func bundlesAreWrittenByManyThreadsAtOnce() async throws {
    let scratch = try Scratch()
    let contents = try contents(scratch)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<16 {
        group.addTask {
          try FailureBundle.write(contents, to: "\(scratch.path)/all/\(number).tar.zst")
        }
      }
      try await group.waitForAll()
    }
    #expect(try TreeSnapshot("\(scratch.path)/all").lines.count == 16)
    let first = try scratch.bytes("all/0.tar.zst")
    for number in 1..<16 { #expect(try scratch.bytes("all/\(number).tar.zst") == first) }
  }
}
