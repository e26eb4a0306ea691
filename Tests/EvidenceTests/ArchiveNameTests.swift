import Glibc
import SystemFiles
import TestSupport
import Testing

@testable import Evidence

/// Names of any length and any bytes come through, in this module's reader and in other programs.
@Suite struct ArchiveNameTests {
  /// Compares a packed folder with what this module's reader makes of it.
  private func expectSameTree(_ scratch: Scratch, _ bundle: BundleReader) throws {
    let original = try TreeSnapshot("\(scratch.path)/box")
    #expect(!original.lines.isEmpty)
    let check = try bundle.verify()
    #expect(check.isWhole, "\(check.problems)")
    #expect(check.notes.isEmpty, "\(check.notes)")
    let report = try scratch.unpack(bundle, to: "own")
    #expect(report.refused.isEmpty)
    #expect(try TreeSnapshot("\(scratch.path)/own") == original)
    removeTree("\(scratch.path)/own")
  }

  /// Compares a packed folder with what other programs make of it.
  private func expectSameTreeElsewhere(
    _ scratch: Scratch, _ bundle: BundleReader, locale: String = "C"
  ) async throws {
    let original = try TreeSnapshot("\(scratch.path)/box")
    for program in ["tar", "bsdtar"] {
      let target = "\(scratch.path)/\(program)"
      try makeFolders(target)
      let list = try await runProcess([
        "env", "LC_ALL=\(locale)", program, "-tf", bundle.path,
      ])
      #expect(list.status == 0, "\(program) in \(locale): \(list.allText)")
      let extract = try await runProcess([
        "env", "LC_ALL=\(locale)", program, "-xpf", bundle.path, "-C", target,
      ])
      #expect(extract.status == 0, "\(program) in \(locale): \(extract.allText)")
      #expect(try TreeSnapshot("\(target)/container") == original, "\(program) in \(locale)")
    }
    for name in ["tar", "bsdtar"] { removeTree("\(scratch.path)/\(name)") }
  }

  /// Runs a body in a locale, which is this thread's alone; so the body may not change threads.
  private func inLocale<Result>(_ name: String, _ body: () throws -> Result) throws -> Result {
    // All categories: LC_ALL_MASK of locale.h, which Swift does not see.
    let object = try #require(newlocale(0x1FBF, name, nil))
    let before = uselocale(object)
    defer {
      uselocale(before)
      freelocale(object)
    }
    return try body()
  }

  @Test func longPathsAndLinksComeThrough() async throws {
    let scratch = try Scratch()
    let root = "\(scratch.path)/box"
    try makeFolders(root)
    let lengths = [99, 100, 101, 155, 156, 255, 256, 1000, 3900]
    for (index, length) in lengths.enumerated() {
      let letter = Character(Unicode.Scalar(UInt8(97 + index)))
      let path = components(ofLength: length, letter: letter)
      #expect(path.reduce(-1) { $0 + $1.count + 1 } == length)
      try makeFile(path, in: root, content: Array("\(length)".utf8))
      symlink(String(repeating: "t", count: length), "\(root)/link-\(length)")
    }
    for length in [4000, 4095] {
      symlink(String(repeating: "t", count: length), "\(root)/link-\(length)")
    }
    try makeFile([Array(repeating: 99, count: 255)], in: root, content: [1])
    for suffix in ["one", "two"] {
      let name = Array(String(repeating: "s", count: 120).utf8) + Array(suffix.utf8)
      try makeFile([name], in: root, content: Array(suffix.utf8))
    }
    let bundle = try scratch.pack()
    try expectSameTree(scratch, bundle)
    try await expectSameTreeElsewhere(scratch, bundle)
    // Names in ASCII need nothing that another program would warn about.
    let list = try await runProcess(["tar", "-tf", bundle.path])
    #expect(!list.allText.contains("Ignoring"))
  }

  /// Other programs give up where a path no longer fits into one system call, so only this reader
  /// is asked.
  @Test(arguments: [(4000, 200), (999, 1), (12_000, 250)])
  func pathsThatNoSystemCallTakesComeThrough(_ length: Int, _ width: Int) throws {
    let scratch = try Scratch()
    try makeFolders("\(scratch.path)/box")
    let path = components(ofLength: length, width: width)
    try makeFile(path, in: "\(scratch.path)/box", content: [7])
    let bundle = try scratch.pack()
    let check = try bundle.verify()
    #expect(check.isWhole && check.notes.isEmpty, "\(check.problems) \(check.notes)")
    #expect(try bundle.entries().map(\.path.bytes.count).max() == length + "container/".utf8.count)
    let report = try scratch.unpack(bundle)
    #expect(report.refused.isEmpty && report.extractedEntries == path.count)
    let found = try bundle.entries().filter { $0.kind == .file }.dropFirst().first
    #expect(found?.path.bytes == Array("container/".utf8) + Array(path.joined(separator: [47])))
  }

  @Test func aTreeThatIsTooDeepIsNotedAndTheRestPacked() throws {
    let scratch = try Scratch()
    try makeFolders("\(scratch.path)/box")
    try makeFile(
      Array(repeating: [100], count: 3000) + [[102]], in: "\(scratch.path)/box", content: [7])
    try scratch.write("box/z", "z")
    let bundle = try scratch.pack()
    let check = try bundle.verify()
    #expect(check.isWhole, "\(check.problems)")
    #expect(check.notes.map(\.kind) == [.limit])
    #expect(try bundle.read("container/z") == [122])
  }

  private static let names: [[UInt8]] = [
    [0xFF, 0x80], [0xE9], Array("nfd-re\u{301}sume\u{301}".utf8),
    Array("nfc-r\u{E9}sum\u{E9}".utf8),
    Array("🎉 party".utf8), Array("ガ カ\u{3099}".utf8), [0xC0, 0xAF, 0x2E],
    Array("back\\slash".utf8), Array("new\nline".utf8), Array("\u{1B}]0;x\u{7}".utf8),
    Array(" lead".utf8), Array("trail ".utf8), Array("trail/".utf8.dropLast()) + [46],
    Array("-rf".utf8), Array("*".utf8), Array("%41".utf8), [1], [0x7F],
    Array("./.x".utf8.dropFirst(2)), Array(repeating: 0xF8, count: 255),
  ]

  @Test(arguments: ["C", "POSIX", "C.UTF-8"])
  func anyBytesComeThroughInEveryLocale(_ locale: String) async throws {
    let scratch = try Scratch()
    let root = "\(scratch.path)/box"
    try makeFolders(root)
    for (index, name) in Self.names.enumerated() {
      try makeFile([name], in: root, content: [UInt8(index)])
      try makeFile([[100] + name.prefix(250), name], in: root, content: [UInt8(index), 1])
      withPath(name) { target in
        withPath(Array("\(root)/l\(index)".utf8)) { _ = symlink(target, $0) }
      }
    }
    let bundle = try inLocale(locale) {
      let bundle = try scratch.pack()
      try expectSameTree(scratch, bundle)
      return bundle
    }
    try await expectSameTreeElsewhere(scratch, bundle, locale: locale)
    let again = try scratch.pack(to: "again.tar")
    #expect(try readFile(again.path, maxBytes: 1 << 26) == readFile(bundle.path, maxBytes: 1 << 26))
  }

  @Test func theListOfContentsIsValidAndExact() throws {
    let scratch = try Scratch()
    try makeFolders("\(scratch.path)/box")
    for name in Self.names { try makeFile([name], in: "\(scratch.path)/box") }
    let bundle = try scratch.pack()
    let text = try bundle.read("contents.json")
    struct List: Decodable {
      struct Entry: Decodable {
        var path: String?
        var pathBytes: String?
      }
      var entries: [Entry]
    }
    let list = try decodedJSON(List.self, from: text)
    let listed = list.entries.compactMap { entry in
      entry.path.map { ByteName($0) } ?? entry.pathBytes.flatMap { ByteName(percentEncoded: $0) }
    }
    #expect(listed == (try bundle.entries().map(\.path).dropLast()))
    #expect(String(validating: text, as: UTF8.self) != nil)
    for entry in try bundle.entries() {
      let line = try decodedJSON(List.Entry.self, from: entry.json)
      let name =
        line.path.map { ByteName($0) } ?? line.pathBytes.flatMap { ByteName(percentEncoded: $0) }
      #expect(name == entry.path)
    }
    #expect(text.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 10 })
  }
}
