import SystemFiles
import TestSupport
import Testing

@testable import Evidence

/// A bundle that lost or gained bytes is never taken for a whole one.
@Suite struct CutBundleTests {
  private func bundle(_ scratch: Scratch, _ compression: BundleCompression) throws -> [UInt8] {
    var random = SeededGenerator(seed: 9)
    for number in 0..<4 {
      try scratch.write(
        "box/\(number)", (0..<700 * number).map { _ in UInt8(truncatingIfNeeded: random.next()) })
    }
    try scratch.write("box/" + String(repeating: "long", count: 40), "x")
    let bundle = try scratch.pack(to: "whole", compression: compression)
    #expect(try bundle.verify().isWhole)
    return try scratch.bytes("whole")
  }

  private func check(_ bytes: [UInt8], _ scratch: Scratch) throws -> BundleCheck? {
    try scratch.write("cut", bytes)
    do {
      return try BundleReader(path: "\(scratch.path)/cut").verify()
    } catch let error as EvidenceError {
      Issue.record("\(error) instead of a check")
      return nil
    }
  }

  @Test func everyCutAtABlockIsFound() throws {
    let scratch = try Scratch()
    let whole = try bundle(scratch, .none)
    #expect(whole.count.isMultiple(of: 512))
    for size in stride(from: 512, to: whole.count, by: 512) {
      let check = try #require(try check(Array(whole.prefix(size)), scratch))
      #expect(!check.isWhole, "cut to \(size) of \(whole.count)")
      #expect(check.problems.contains { $0.code == .cutOff })
    }
  }

  @Test func theEndMarkerIsNeeded() throws {
    let scratch = try Scratch()
    let whole = try bundle(scratch, .none)
    let entries = try BundleReader(path: "\(scratch.path)/whole").entries().count
    for missing in [1, 511, 512, 513, 1024] {
      let check = try #require(try check(whole.dropLast(missing), scratch))
      #expect(check.problems.map(\.code).contains(.cutOff))
      #expect(check.completeEntries == entries)
      #expect(check.lastEntry == ByteName("contents.json"))
      // How far the archive was read says nothing about the file.
      #expect(
        check.problems.contains {
          $0.message.hasSuffix("is cut off: the file ends before its archive does")
        })
    }
  }

  @Test(arguments: [BundleCompression.gzip, .zstd])
  func everyCutOfCompressedBytesIsFound(_ compression: BundleCompression) throws {
    let scratch = try Scratch()
    let whole = try bundle(scratch, compression)
    var sizes = Array(stride(from: 0, to: whole.count, by: 512)) + (whole.count - 40..<whole.count)
    var random = SeededGenerator(seed: 5)
    for _ in 0..<50 { sizes.append(Int.random(in: 0..<whole.count, using: &random)) }
    for size in sizes {
      let check = try #require(try check(Array(whole.prefix(size)), scratch))
      #expect(!check.isWhole, "cut to \(size) of \(whole.count)")
    }
  }

  @Test(arguments: BundleCompression.allCases)
  func whatFollowsTheEndIsFound(_ compression: BundleCompression) throws {
    let scratch = try Scratch()
    let whole = try bundle(scratch, compression)
    let more: [[UInt8]] = [
      [0], Array(repeating: 0, count: 512), [65], whole, Array(whole.prefix(99)),
    ]
    for bytes in more {
      let check = try #require(try check(whole + bytes, scratch))
      #expect(!check.isWhole, "with \(bytes.count) more bytes")
    }
  }

  @Test func whatIsWholeIsTold() throws {
    let scratch = try Scratch()
    let whole = try bundle(scratch, .none)
    let entries = try BundleReader(path: "\(scratch.path)/whole").entries()
    // 2100 bytes of the file "3" take five blocks; the cut falls into them.
    let position = try #require(entries.firstIndex { $0.path == ByteName("container/3") })
    let blocks = entries[..<position].reduce(0) { $0 + 1 + ($1.size + 511) / 512 }
    let bytes = Array(whole.prefix(512 * (blocks + 1) + 1000))
    let check = try #require(try check(bytes, scratch))
    #expect(check.completeEntries == position)
    #expect(check.lastEntry == entries[position - 1].path)
    #expect(check.cutEntry == entries[position].path)
    #expect(check.manifest != nil)
    let report = try BundleReader(path: "\(scratch.path)/cut").extract(to: "\(scratch.path)/out")
    #expect(!report.check.isWhole)
    #expect(report.extractedEntries == position)
    #expect(FileIdentity(path: "\(scratch.path)/out/container/2") != nil)
    #expect(FileIdentity(path: "\(scratch.path)/out/container/3") == nil)
  }

  @Test func everyChangedByteIsFound() throws {
    let scratch = try Scratch()
    let whole = try bundle(scratch, .none)
    let original = try BundleReader(path: "\(scratch.path)/whole").entries()
    var random = SeededGenerator(seed: 11)
    for _ in 0..<400 {
      var bytes = whole
      let position = Int.random(in: 0..<bytes.count, using: &random)
      bytes[position] ^= UInt8.random(in: 1...255, using: &random)
      let check = try #require(try check(bytes, scratch))
      if check.isWhole {
        // How a checksum is written, or a key that nobody reads, may change and say the same.
        #expect(
          try BundleReader(path: "\(scratch.path)/cut").entries() == original,
          "byte \(position)")
      }
    }
  }

  @Test(arguments: ["", "junk", String(repeating: "junk", count: 1000), "\u{0}"])
  func whatIsNoBundleIsRefused(_ text: String) throws {
    let scratch = try Scratch()
    try scratch.write("b", text)
    let reader = BundleReader(path: "\(scratch.path)/b")
    let error = #expect(throws: EvidenceError.self) { try reader.manifest() }
    #expect(error?.code == .notABundle || error?.code == .cutOff)
    #expect(try !reader.verify().isWhole)
    #expect(throws: EvidenceError.self) { try reader.extract(to: "\(scratch.path)/out") }
    #expect(FileIdentity(path: "\(scratch.path)/out") == nil)
  }

  @Test(arguments: [
    ("", "it is empty"), ("not an archive\n", "it is text"),
    (String(repeating: "text ä\n", count: 1000), "it is text"),
    ("PK\u{3}\u{4}\u{14}\u{0}\u{0}", "it is a zip archive"),
    ("PK\u{3}\u{4}" + String(repeating: "\u{0}", count: 2000), "it is a zip archive"),
    (String(repeating: "\u{1}\u{2}", count: 1000), "it is no tar archive"),
    (String(repeating: "\u{0}", count: 1024), "its first entry is not manifest.json"),
  ])
  func whatAFileIsInsteadIsTold(_ text: String, _ reason: String) throws {
    let scratch = try Scratch()
    try scratch.write("b", text)
    let reader = BundleReader(path: "\(scratch.path)/b")
    let error = #expect(throws: EvidenceError.self) { try reader.manifest() }
    #expect(error?.message == "'\(scratch.path)/b' is not a failure bundle (\(reason))")
    #expect(try reader.verify().problems.map(\.message) == [reason])
  }

  @Test func missingAndUnreadableFilesAreErrors() throws {
    let scratch = try Scratch()
    let missing = #expect(throws: EvidenceError.self) {
      try BundleReader(path: "\(scratch.path)/no").verify()
    }
    #expect(missing?.code == .notFound)
    let folder = #expect(throws: EvidenceError.self) {
      try BundleReader(path: scratch.path).manifest()
    }
    #expect(folder?.code == .notABundle)
  }
}
