import Glibc
import RunModel
import SystemFiles
import TestSupport
import Testing

@testable import Evidence

extension RunArchiveManifest {
  static func sample(tests: Int = 2) -> RunArchiveManifest {
    RunArchiveManifest(
      carrel: "0.1.0", observer: "0123456789abcdef", package: "/build/P",
      builtProducts: "/build/P/.build/debug", buildConfiguration: "debug", buildFlags: [],
      compiler: "Swift version 6.3.1",
      facts: ToolchainFacts(["target": "x86_64-unknown-linux-gnu"]),
      products: [.init(name: "P", executable: "P.xctest")], warnings: [], tests: tests,
      includes: ["Data"], hasRuntime: false)
  }
}

/// What goes into a run archive comes out of it, and nothing else does.
@Suite struct RunArchiveTests {
  private let tests = ["M.Class/testIt", "M.Class/testÄ"].map {
    TestDescriptor(id: TestID(product: "P", library: .xctest, name: $0))
  }

  private func fill(_ scratch: Scratch, _ box: String = "box") throws {
    try scratch.write("\(box)/P.xctest", Array("program".utf8), mode: 0o755)
    try scratch.write("\(box)/Data/ä b.txt", "data")
    try scratch.write("\(box)/Data/deep/other", "other")
    symlink("../ä b.txt", "\(scratch.path)/\(box)/Data/deep/link")
  }

  @discardableResult
  private func pack(
    _ scratch: Scratch, _ box: String = "box", to name: String = "a.tar",
    compression: BundleCompression = .none, items: [RunArchiveContents.Item] = []
  ) throws -> RunArchive.Outcome {
    let folder = "\(scratch.path)/\(box)"
    return try RunArchive.write(
      RunArchiveContents(
        manifest: .sample(), configuration: Array("{\"format\": \"1.0\"}".utf8), tests: tests,
        items: [
          .init("products/P.xctest", from: "\(folder)/P.xctest"),
          .init("package/Data", from: "\(folder)/Data"),
        ] + items), to: "\(scratch.path)/\(name)", compression: compression)
  }

  private func reader(_ scratch: Scratch, _ name: String = "a.tar") -> RunArchiveReader {
    RunArchiveReader(path: "\(scratch.path)/\(name)")
  }

  @Test func aRunArchiveIsNoFailureBundle() throws {
    let scratch = try Scratch()
    try fill(scratch)
    try pack(scratch)
    let bundle = BundleReader(path: "\(scratch.path)/a.tar")
    let reason = "it is a run archive; 'carrel archive verify' and 'carrel run --archive' read it"
    let error = #expect(throws: EvidenceError.self) { try bundle.manifest() }
    #expect(error?.code == .notABundle && error?.context["reason"] == reason)
    let problem = try #require(try bundle.verify().problems.first)
    #expect(problem.code == .noManifest && "\(problem)" == reason)
  }

  @Test func everythingComesBack() throws {
    let scratch = try Scratch()
    try fill(scratch)
    let outcome = try pack(scratch)
    let head = try reader(scratch).head()
    #expect(head.manifest == .sample())
    #expect(head.tests == tests)
    #expect(head.configuration == Array("{\"format\": \"1.0\"}".utf8))
    let whole = try reader(scratch).verify()
    #expect(whole.manifest == .sample() && whole.entries == outcome.entries)
    #expect(try reader(scratch).extract(to: "\(scratch.path)/out").digest == whole.digest)
    #expect(try scratch.bytes("out/products/P.xctest") == Array("program".utf8))
    #expect(try scratch.bytes("out/package/Data/ä b.txt") == Array("data".utf8))
    #expect(try scratch.bytes("out/package/Data/deep/link") == Array("data".utf8))
    #expect(access("\(scratch.path)/out/products/P.xctest", X_OK) == 0)
  }

  /// Times, owners and the bits of a mask do not count, and a compression changes only bytes.
  @Test func theSameFilesHaveTheSameBytes() throws {
    let scratch = try Scratch()
    try fill(scratch)
    try fill(scratch, "copy")
    chmod("\(scratch.path)/copy/P.xctest", 0o711)
    chmod("\(scratch.path)/copy/Data/ä b.txt", 0o600)
    chmod("\(scratch.path)/copy/Data", 0o700)
    utimensat(
      AT_FDCWD, "\(scratch.path)/copy/P.xctest",
      [timespec(tv_sec: 5, tv_nsec: 5), timespec(tv_sec: 5, tv_nsec: 5)], 0)
    for compression in BundleCompression.allCases {
      try pack(scratch, to: "a", compression: compression)
      try pack(scratch, "copy", to: "b", compression: compression)
      #expect(try scratch.bytes("a") == scratch.bytes("b"), "\(compression)")
      try pack(scratch, to: "plain")
      #expect(
        try reader(scratch, "a").verify().digest == reader(scratch, "plain").verify().digest)
    }
    try scratch.write("copy/Data/ä b.txt", "more")
    try pack(scratch, "copy", to: "c")
    #expect(try scratch.bytes("c") != scratch.bytes("plain"))
  }

  @Test func aCutArchiveIsRefused() throws {
    let scratch = try Scratch()
    try fill(scratch)
    try pack(scratch)
    let whole = try scratch.bytes("a.tar")
    for size in Array(stride(from: 512, to: whole.count, by: 512)) + [whole.count - 1, 100, 1, 0] {
      try scratch.write("cut.tar", Array(whole.prefix(size)))
      let error = #expect(throws: EvidenceError.self, "cut to \(size)") {
        try reader(scratch, "cut.tar").verify()
      }
      #expect([.cutOff, .notAnArchive].contains(error?.code), "\(size): \(error as Any)")
      #expect(throws: EvidenceError.self) {
        try reader(scratch, "cut.tar").extract(to: "\(scratch.path)/out \(size)")
      }
    }
    for compression in [BundleCompression.gzip, .zstd] {
      try pack(scratch, to: "b", compression: compression)
      let bytes = try scratch.bytes("b")
      for size in stride(from: 1, to: bytes.count, by: 97) {
        try scratch.write("cut", Array(bytes.prefix(size)))
        #expect(throws: EvidenceError.self, "\(compression) cut to \(size)") {
          try reader(scratch, "cut").verify()
        }
      }
    }
  }

  /// The entry that is not what was packed is named.
  @Test(arguments: [
    ("program", "products/P.xctest"), ("other", "package/Data/deep/other"),
    ("M.Class/testÄ", "tests.jsonl"), ("1.0\"}", "carrel.json"),
  ])
  func aChangedFileIsNamed(_ text: String, _ entry: String) throws {
    let scratch = try Scratch()
    try fill(scratch)
    try pack(scratch)
    var bytes = try scratch.bytes("a.tar")
    let places = bytes.indices.filter { bytes[$0...].starts(with: Array(text.utf8)) }
    let place = try #require(places.last { bytes[($0 / 512) * 512] != 0 })
    let data = try #require(
      places.first { $0 >= 512 && bytes[$0 - 1] != UInt8(ascii: "/") && $0 <= place })
    bytes[data] ^= 1
    try scratch.write("changed.tar", bytes)
    let error = #expect(throws: EvidenceError.self) {
      try reader(scratch, "changed.tar").extract(to: "\(scratch.path)/out")
    }
    #expect(error?.code == .malformed)
    #expect(error?.message.contains("\(entry): has other bytes") == true, "\(error as Any)")
  }

  /// Nothing is written outside of the folder, and the entry that was to be is named.
  @Test(arguments: ["../evil", "/tmp/evil", "package/../../evil", "package//evil", "out/evil"])
  func hostileNamesAreRefused(_ name: String) throws {
    let scratch = try Scratch()
    try scratch.write("outside/file", "untouched")
    var tar = TarBuilder()
    tar.add(
      Array("manifest.json".utf8), data: try encodedJSON(RunArchiveManifest.sample(tests: 0)))
    tar.add("tests.jsonl", data: "")
    if name == "out/evil" {
      tar.add("out", type: "2", target: "\(scratch.path)/outside")
    }
    tar.add(name, data: "evil")
    tar.finish()
    try scratch.write("evil.tar", tar.bytes)
    let before = try TreeSnapshot("\(scratch.path)/outside")
    let error = #expect(throws: EvidenceError.self) {
      try reader(scratch, "evil.tar").extract(to: "\(scratch.path)/in/out")
    }
    #expect(error?.code == .malformed)
    let refused = name == "out/evil" ? "out" : name
    #expect(error?.message.contains("is refused: '\(refused)' ") == true, "\(error as Any)")
    #expect(try TreeSnapshot("\(scratch.path)/outside") == before)
    #expect(access("\(scratch.path)/in/evil", F_OK) != 0 && access("/tmp/evil", F_OK) != 0)
  }

  @Test(
    arguments: [
      ("1", "is a hard link"), ("3", "is a device, FIFO or socket"),
      ("6", "is a device, FIFO or socket"), ("Z", "has a type that is not known"),
    ] as [(Character, String)])
  func hostileTypesAreRefused(_ type: Character, _ reason: String) throws {
    let scratch = try Scratch()
    var tar = TarBuilder()
    tar.add(
      Array("manifest.json".utf8), data: try encodedJSON(RunArchiveManifest.sample(tests: 0)))
    tar.add("tests.jsonl", data: "")
    tar.add("products/odd", type: type, target: type == "1" ? "manifest.json" : "")
    tar.finish()
    try scratch.write("evil.tar", tar.bytes)
    let error = #expect(throws: EvidenceError.self) {
      try reader(scratch, "evil.tar").extract(to: "\(scratch.path)/out")
    }
    #expect(error?.message.hasSuffix("is refused: 'products/odd' \(reason)") == true)
  }

  @Test func otherFilesAreNoRunArchives() throws {
    let scratch = try Scratch()
    try scratch.write("box/file", "x")
    try scratch.pack(to: "bundle.tar")
    try scratch.write("text", "just a text\n")
    try scratch.write("empty", "")
    for (name, reason) in [
      ("bundle.tar", "it is a failure bundle"), ("text", "it is text"), ("box", "it is a folder"),
      ("empty", "it is empty"),
    ] {
      for read in [
        { _ = try reader(scratch, name).head() },
        {
          _ = try reader(scratch, name).verify()
        },
      ] {
        let error = #expect(throws: EvidenceError.self) { try read() }
        #expect(error?.code == .notAnArchive, "\(name): \(error as Any)")
        #expect(
          error?.message == "'\(scratch.path)/\(name)' is not a run archive (\(reason))"
            || error?.message.hasSuffix("(manifest.json: \(reason))") == true,
          "\(error as Any)")
      }
    }
    let missing = #expect(throws: EvidenceError.self) { try reader(scratch, "none").head() }
    #expect(missing?.code == .notFound)
    // And a run archive is no failure bundle.
    try fill(scratch)
    try pack(scratch)
    #expect(throws: EvidenceError.self) {
      try BundleReader(path: "\(scratch.path)/a.tar").manifest()
    }
  }

  private func head(_ manifest: [String: String], _ scratch: Scratch) throws -> EvidenceError? {
    var text = String(
      decoding: try encodedJSON(RunArchiveManifest.sample(tests: 0)), as: UTF8.self)
    for (old, new) in manifest { text = text.replacing(old, with: new) }
    var tar = TarBuilder()
    tar.add("manifest.json", data: text)
    tar.add("tests.jsonl", data: "")
    tar.finish()
    try scratch.write("a.tar", tar.bytes)
    do {
      _ = try reader(scratch).head()
      return nil
    } catch let error as EvidenceError {
      return error
    }
  }

  @Test func newerFormatsAndWrongNamesAreRefused() throws {
    let scratch = try Scratch()
    #expect(try head([:], scratch) == nil)
    // A newer minor version and unknown keys are read.
    #expect(try head(["\"format\":\"1.0\"": "\"format\":\"1.7\",\"new\":1"], scratch) == nil)
    #expect(try head(["\"format\":\"1.0\"": "\"format\":\"2.0\""], scratch)?.code == .newerFormat)
    for name in ["../P", "a/b", "..", ""] {
      let error = try head(["P.xctest": name], scratch)
      #expect(error?.code == .notAnArchive, "\(name): \(error as Any)")
    }
    #expect(
      try head(["\"package\":\"/build/P\"": "\"package\":\"P\""], scratch)?.code == .notAnArchive)
  }

  /// What is not all there is not packed, and nothing is left of it.
  @Test func whatCannotBePackedIsNamed() throws {
    let scratch = try Scratch()
    try fill(scratch)
    symlink("/etc/passwd", "\(scratch.path)/box/Data/out")
    let link = #expect(throws: EvidenceError.self) { try pack(scratch) }
    #expect(link?.code == .notPackable)
    #expect(
      link?.message.hasPrefix("'package/Data/out' cannot be packed: it is a symbolic") == true)
    unlink("\(scratch.path)/box/Data/out")
    let missing = #expect(throws: EvidenceError.self) {
      try pack(scratch, items: [.init("products/gone", from: "\(scratch.path)/gone")])
    }
    #expect(missing?.message.contains("gone' is to be packed and is not there") == true)
    mkfifo("\(scratch.path)/box/Data/fifo", 0o600)
    #expect(access("\(scratch.path)/a.tar", F_OK) != 0)
    let outcome = try pack(scratch)
    #expect(outcome.notes.map(\.kind) == [.special])
    unlink("\(scratch.path)/box/Data/fifo")
    try scratch.write("box/Data/secret", Array("x".utf8), mode: 0)
    let unreadable = asOrdinaryUser {
      chmod(scratch.path, 0o777)
      return #expect(throws: EvidenceError.self) { try pack(scratch, to: "b.tar") }
    }
    #expect(unreadable != nil)
  }

  /// A device, or whatever else is no file, is never replaced by an archive.
  @Test func onlyFilesAreReplaced() throws {
    let scratch = try Scratch()
    try fill(scratch)
    mkfifo("\(scratch.path)/fifo", 0o600)
    let before = FileIdentity(path: "\(scratch.path)/fifo")
    for name in ["fifo", "box"] {
      let error = #expect(throws: EvidenceError.self) { try pack(scratch, to: name) }
      #expect(error?.code == .unwritable)
      #expect(error?.message == "'\(scratch.path)/\(name)' is there and is no file")
    }
    #expect(FileIdentity(path: "\(scratch.path)/fifo") == before)
    try scratch.write("a.tar", "old")
    try pack(scratch)
    _ = try reader(scratch).verify()
  }

  @Test func extractingCanBeStopped() throws {
    let scratch = try Scratch()
    try fill(scratch)
    try pack(scratch)
    let error = #expect(throws: EvidenceError.self) {
      try reader(scratch).extract(to: "\(scratch.path)/out") { true }
    }
    #expect(error?.code == .stopped)
    #expect(access("\(scratch.path)/out", F_OK) != 0)
  }
}
