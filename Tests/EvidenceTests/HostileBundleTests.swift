import Glibc
import SystemFiles
import TestSupport
import Testing

@testable import Evidence

/// Bundles that were made to write elsewhere.
@Suite struct HostileBundleTests {
  /// Extracts an archive next to a folder that must stay as it is.
  private func extract(
    _ scratch: Scratch, options: ExtractionOptions = ExtractionOptions(),
    _ build: (inout TarBuilder) -> Void
  ) throws -> ExtractionReport {
    try scratch.write("outside/file", "untouched")
    var tar = TarBuilder()
    try tar.addManifest()
    build(&tar)
    tar.finish()
    try scratch.write("b.tar", tar.bytes)
    let before = try TreeSnapshot("\(scratch.path)/outside")
    removeTree("\(scratch.path)/in/out")
    let report = try BundleReader(path: "\(scratch.path)/b.tar").extract(
      to: "\(scratch.path)/in/out", options: options)
    #expect(try TreeSnapshot("\(scratch.path)/outside") == before)
    #expect(try names("\(scratch.path)/in") == ["out"])
    #expect(try Set(names(scratch.path)) == ["outside", "b.tar", "in"])
    return report
  }

  private func names(_ path: String) throws -> [String] {
    let folder = try OwnedDescriptor(opening: path, O_RDONLY | O_DIRECTORY)
    return try listFolder(folder.number).map { String(decoding: $0, as: UTF8.self) }.sorted()
  }

  private func refusals(_ report: ExtractionReport) -> [ExtractionReport.Refusal.Reason] {
    report.refused.map(\.reason)
  }

  @Test(arguments: [
    ("../x", ExtractionReport.Refusal.Reason.parentFolder), ("/tmp/x", .absolutePath),
    ("a/../../x", .parentFolder), ("..", .parentFolder), ("a/..", .parentFolder),
    ("", .emptyComponent), ("a//b", .emptyComponent), ("./a", .emptyComponent),
    (".", .emptyComponent), ("a/", .emptyComponent),
  ])
  func badNamesAreRefused(_ name: String, _ reason: ExtractionReport.Refusal.Reason) throws {
    let scratch = try Scratch()
    let report = try extract(scratch) { tar in
      tar.add(name, data: "evil")
      tar.add("good", data: "good")
    }
    #expect(report.refused == [.init(path: ByteName(name), reason: reason)])
    #expect(try scratch.bytes("in/out/good") == Array("good".utf8))
    #expect(report.extractedEntries == 2)
  }

  @Test func zeroBytesInNamesAreRefused() throws {
    let scratch = try Scratch()
    let report = try extract(scratch) { tar in
      tar.add(Array("a\u{0}b".utf8), data: [1])
      tar.add(Array("link".utf8), type: "2", target: Array("a\u{0}b".utf8))
      tar.add("back\\slash..\\x", data: "kept")
    }
    #expect(refusals(report) == [.zeroByte, .zeroByte])
    #expect(try names("\(scratch.path)/in/out") == ["back\\slash..\\x", "manifest.json"])
  }

  @Test(arguments: [ExtractionOptions.Links.refuseOutside, .keepAll])
  func nothingIsWrittenThroughLinks(_ links: ExtractionOptions.Links) throws {
    let scratch = try Scratch()
    let outside = "\(scratch.path)/outside"
    let report = try extract(scratch, options: ExtractionOptions(links: links)) { tar in
      tar.add("L", type: "2", target: outside)
      tar.add("L/x", data: "evil")
      tar.add("L/deep/er/x", data: "evil")
      tar.add("f", type: "2", target: "\(outside)/file")
      tar.add("f", data: "evil")
      tar.add("d", type: "2", target: outside)
      tar.add("d/", type: "5", mode: 0o777)
      tar.add("d/x", data: "evil")
      tar.add("in", type: "2", target: "manifest.json")
      tar.add("in", data: "evil")
      tar.add("in/x", data: "evil")
    }
    switch links {
    case .keepAll:
      #expect(
        refusals(report) == [
          .throughLink, .throughLink, .duplicate, .duplicate, .throughLink, .duplicate,
          .throughLink,
        ])
    case .refuseOutside:
      // The links are not there, so what follows is an ordinary path below the folder.
      #expect(
        refusals(report) == [.linkOutside, .linkOutside, .linkOutside, .duplicate, .throughLink])
    }
    #expect(try scratch.bytes("outside/file") == Array("untouched".utf8))
  }

  @Test(arguments: [
    ("/etc/passwd", false), ("..", false), ("../..", false), ("x/../../..", false), (".", true),
    ("x/../y", false), ("manifest.json", true), ("./deep/./x", true), ("/", false),
  ])
  func linksThatLeadOutAreRefused(_ target: String, _ isKept: Bool) throws {
    let scratch = try Scratch()
    let report = try extract(scratch) { $0.add("link", type: "2", target: target) }
    #expect(refusals(report) == (isKept ? [] : [.linkOutside]))
    let kept = try extract(scratch, options: ExtractionOptions(links: .keepAll)) {
      $0.add("link", type: "2", target: target)
    }
    #expect(kept.refused.isEmpty)
    #expect(
      ByteName(bytes: try linkTarget(of: Array("\(scratch.path)/in/out/link".utf8), in: AT_FDCWD))
        == ByteName(target))
  }

  @Test func linksUpWithinTheFolderAreKept() throws {
    let scratch = try Scratch()
    let report = try extract(scratch) { tar in
      tar.add("a/b/up", type: "2", target: "../../manifest.json")
      tar.add("a/b/out", type: "2", target: "../../../manifest.json")
    }
    #expect(report.refused.map(\.path) == [ByteName("a/b/out")])
    // Through a link that leads to the top, `..` would leave the folder.
    let nested = try extract(scratch) { tar in
      tar.add("d/top", type: "2", target: "..")
      tar.add("escape", type: "2", target: "d/top/../outside")
    }
    #expect(nested.refused == [.init(path: ByteName("escape"), reason: .linkOutside)])
  }

  @Test func otherTypesAreRefused() throws {
    let scratch = try Scratch()
    let report = try extract(scratch) { tar in
      tar.add("hard", type: "1", target: "\(scratch.path)/outside/file")
      tar.add("inner", type: "1", target: "manifest.json")
      tar.add("null", type: "3")
      tar.add("disk", type: "4")
      tar.add("fifo", type: "6")
      tar.add("what", type: "Z", data: "data")
      tar.addExtendedHeader([("GNU.sparse.major", [49])])
      tar.add("sparse", data: "data")
      tar.add("good", mode: 0o6755, data: "good")
    }
    #expect(
      refusals(report) == [
        .hardlink, .hardlink, .special, .special, .special, .unknownType, .unknownType,
      ])
    #expect(try names("\(scratch.path)/in/out") == ["good", "manifest.json"])
    var status = stat()
    stat("\(scratch.path)/in/out/good", &status)
    #expect(status.permissions == 0o755)
  }

  @Test func duplicatesAreRefused() throws {
    let scratch = try Scratch()
    let report = try extract(scratch) { tar in
      tar.add("a", data: "first")
      tar.add("a", data: "second")
      tar.add("a/b", data: "below a file")
      tar.add("d/", type: "5", mode: 0o755)
      tar.add("d", data: "a file over a folder")
      tar.add("d/", type: "5", mode: 0o777)
      tar.add("e/f", data: "f")
      tar.add("e/", type: "5", mode: 0o700)
      tar.add(String(repeating: "n", count: 256), data: "x")
    }
    #expect(
      refusals(report) == [.duplicate, .throughFile, .duplicate, .duplicate, .nameTooLong])
    #expect(try scratch.bytes("in/out/a") == Array("first".utf8))
    var status = stat()
    stat("\(scratch.path)/in/out/d", &status)
    #expect(status.permissions == 0o755)
    stat("\(scratch.path)/in/out/e", &status)
    #expect(status.permissions == 0o700)
  }

  @Test func twoExtractionsIntoOneFolderAreRefused() throws {
    let scratch = try Scratch()
    _ = try extract(scratch, options: ExtractionOptions(links: .keepAll)) {
      $0.add("L", type: "2", target: "\(scratch.path)/outside")
    }
    let before = try TreeSnapshot("\(scratch.path)/in")
    let error = #expect(throws: EvidenceError.self) {
      try BundleReader(path: "\(scratch.path)/b.tar").extract(to: "\(scratch.path)/in/out")
    }
    #expect(error?.code == .targetNotEmpty)
    #expect(try TreeSnapshot("\(scratch.path)/in") == before)
    // A file, and a link to a folder that is not empty, are no better.
    try scratch.write("file", "x")
    symlink("in", "\(scratch.path)/link")
    for name in ["file", "link"] {
      let error = #expect(throws: EvidenceError.self) {
        try BundleReader(path: "\(scratch.path)/b.tar").extract(to: "\(scratch.path)/\(name)")
      }
      #expect(error?.code == .targetNotEmpty)
    }
  }

  @Test func anEmptyFolderIsFilled() throws {
    let scratch = try Scratch()
    try scratch.write("box/a", "a")
    let bundle = try scratch.pack()
    try makeFolders("\(scratch.path)/out")
    let identity = FileIdentity(path: "\(scratch.path)/out")
    let report = try bundle.extract(to: "\(scratch.path)/out")
    #expect(report.check.isWhole)
    #expect(FileIdentity(path: "\(scratch.path)/out") == identity)
    #expect(try scratch.bytes("out/container/a") == [97])
  }

  @Test func aSubtreeIsExtractedWithoutTheRest() throws {
    let scratch = try Scratch()
    let report = try extract(scratch, options: ExtractionOptions(subtree: "container")) { tar in
      tar.add("container/", type: "5", mode: 0o700)
      tar.add("container/home/a", data: "a")
      tar.add("container/../x", data: "evil")
      tar.add("container/up", type: "2", target: "../manifest.json")
      tar.add("containers/b", data: "b")
      tar.add("container2", data: "b")
    }
    #expect(refusals(report) == [.parentFolder, .linkOutside])
    #expect(
      try TreeSnapshot("\(scratch.path)/in/out").lines.map { $0.prefix { $0 != " " } } == [
        "home", "home/a",
      ])
  }

  @Test func foldersWithoutPermissionsAreFilledByAnOrdinaryUser() throws {
    let scratch = try Scratch()
    chmod(scratch.path, 0o777)
    try asOrdinaryUser {
      try scratch.write("box/p/c/file", [1], mode: 0o444)
      try scratch.write("box/q/file", [2], mode: 0o444)
      chmod("\(scratch.path)/box/p/c", 0o755)
      for (name, time) in [("box/p/c", 1_000_000), ("box/p", -5), ("box/q", 2_000_000_000)] {
        utimensat(
          AT_FDCWD, "\(scratch.path)/\(name)",
          [timespec(tv_sec: time, tv_nsec: 0), timespec(tv_sec: time, tv_nsec: 77)], 0)
      }
      chmod("\(scratch.path)/box/p", 0o555)
      let bundle = try scratch.pack()
      let report = try scratch.unpack(bundle)
      #expect(report.refused.isEmpty && report.clampedTimes.isEmpty)
      #expect(try TreeSnapshot("\(scratch.path)/out") == TreeSnapshot("\(scratch.path)/box"))
      for name in ["p", "p/c", "q", "q/file"] {
        var original = stat()
        var copy = stat()
        stat("\(scratch.path)/box/\(name)", &original)
        stat("\(scratch.path)/out/\(name)", &copy)
        #expect(copy.modified == original.modified, "\(name)")
      }
      #expect(throws: EvidenceError.self) { try scratch.unpack(bundle) }
      removeTree("\(scratch.path)/out")
      #expect(FileIdentity(path: "\(scratch.path)/out") == nil)
    }
  }

  @Test(arguments: [0o311, 0o000, 0o444, 0o111])
  func aFolderThatCannotBeReadIsExtractedByAnOrdinaryUser(_ mode: Int) throws {
    let scratch = try Scratch()
    chmod(scratch.path, 0o777)
    var tar = TarBuilder()
    try tar.addManifest()
    tar.add("d/", type: "5", mode: mode)
    tar.add("d/e/", type: "5", mode: 0o555)
    tar.add("d/e/file", mode: 0o400, data: "x")
    tar.add("d/link", type: "2", target: "e/file")
    tar.finish()
    try scratch.write("b.tar", tar.bytes)
    try asOrdinaryUser {
      let report = try BundleReader(path: "\(scratch.path)/b.tar").extract(
        to: "\(scratch.path)/out")
      #expect(report.refused.isEmpty)
      var status = stat()
      stat("\(scratch.path)/out/d", &status)
      #expect(Int(status.permissions) == mode)
      chmod("\(scratch.path)/out/d", 0o755)
      #expect(try scratch.bytes("out/d/e/file") == [120])
      stat("\(scratch.path)/out/d/e", &status)
      #expect(status.permissions == 0o555)
    }
  }

  /// An extraction that is killed leaves a folder under a temporary name.
  @Test func whatKilledExtractionsLeftIsRemoved() throws {
    let scratch = try Scratch()
    try scratch.write("box/file", "x")
    let bundle = try scratch.pack()
    try makeFolders("\(scratch.path)/there/\(Leftovers.name(.folder))/below")
    _ = try bundle.extract(to: "\(scratch.path)/there/out")
    #expect(folderEntries("\(scratch.path)/there") == ["out"])
  }
}
