import IntentWire
import RunModel

@testable import Comparison

/// A bundle from CI and one from a desk, with every kind of difference.
enum SampleDiff {
  static let containers = ["/tmp/carrel-1000/Zq3x9A/w1", "/tmp/carrel"]

  static func side(_ index: Int) -> BundleSide {
    BundleSide(
      path: index == 0 ? "ci.tar.zst" : "desk \u{1B}[31m.tar",
      test: TestID(product: "NotesTests", library: .xctest, name: "NotesTests.NoteTests/testTitle"),
      run: index == 0 ? "20261130T053000Z-4f3a2b" : "20261130T061143Z-507f93",
      attempt: index + 1, purpose: index == 0 ? .planned : .retry,
      verdict: index == 0 ? .failed : .crashed,
      message: index == 0
        ? "XCTAssertEqual failed: (\"a\") is not equal to (\"b\")" : "Fatal error:\nno such note",
      startedAt: 1_796_019_113 + Double(index) * 3600, duration: index == 0 ? 0.01234 : 2.5,
      worker: 1, batch: 3 + index, hostName: index == 0 ? "ci-7" : "desk",
      runtime: "Linux 6.1.0 x86_64", toolchain: "Swift version 6.3.1", isolation: "sandbox",
      fixtureToken: index == 0 ? "bg2oc675rawntf7y" : nil, carrel: "0.1.0",
      format: FormatVersion(major: 1, minor: 0),
      problems: index == 0 ? [] : ["there is no list of contents at the end", "more"])
  }

  static let names = ReplacedName(placeholder: "<container>", a: containers[0], b: containers[1])

  static func text(_ a: String, _ b: String) -> TextDifference? {
    TextDifference(Array(a.utf8), Array(b.utf8))
  }

  static func file(
    _ name: String, _ a: FileFacts?, _ b: FileFacts?, text: TextDifference? = nil,
    noText: FileDifference.NoText? = nil
  ) -> FileDifference {
    var file = FileDifference(
      name: FileName(path: name, pathBytes: nil, shown: visibleText(name)), a: a, b: b)
    file.text = text
    file.noText = noText
    return file
  }

  static func facts(_ size: Int, _ digest: String, mode: String = "644") -> FileFacts {
    FileFacts(type: "file", mode: mode, size: size, sha256: digest)
  }

  static var parts: [PartDiff] {
    var manifest = PartDiff(.manifest, .different)
    manifest.fields = [
      FieldDifference("verdict", a: "failed", b: "crashed"),
      FieldDifference(
        "issues[0].message", a: "XCTAssertEqual failed: (\"a\") is not equal to (\"b\")",
        b: "Fatal error:\nno such note"),
      FieldDifference("runID", a: "x", b: "y", isExpected: true),
      FieldDifference("timeLimit", a: "60", b: nil),
      FieldDifference(
        "toolchainDetails.facts.compiler.version", a: "6.3.1", b: "6.2",
        note: "can change results"),
    ]
    var journal = PartDiff(.journal, .different)
    journal.notes = ["the journal of A leaves out 7 more calls"]
    func call(_ intent: String, _ parameters: WireJSON) -> JournalCall? {
      JournalCall(
        [
          "bundle": "com.example.Notes", "method": "intent.perform", "intent": .string(intent),
          "parameters": parameters, "duration": 0, "result": ["value": "ok"],
        ], replacing: SpecificNames())
    }
    let a = [call("Create", ["title": "Milk"]), call("Say", ["text": "x"]), call("Delete", [:])]
    let b = [
      call("Create", ["title": "Milk"]), call("Create", ["title": "Tea"]),
      call("Say", ["text": "y\u{202E}"]),
    ]
    journal.calls = CallComparison(a.compactMap { $0 }, b.compactMap { $0 })
    journal.equal = 1
    var index = PartDiff(.index, .onlyA)
    index.entries = EntryComparison(
      [.init(type: "Note", identifier: "1", fields: [.init("title", "Milk")])], [],
      replacing: (SpecificNames(), SpecificNames()))
    var logs = PartDiff(.logs, .different)
    logs.equal = 1
    let long = String(repeating: "long ", count: 200)
    logs.files = [
      file(
        "logs/stdout.log", facts(20, "aa"), facts(30, "bb"),
        text: text(
          (1...12).map { "line \($0)\n" }.joined() + long + "one\n",
          (1...12).map { "line \($0 == 3 ? "three" : "\($0)")\n" }.joined() + long + "two")),
      file("logs/app-com.example.Notes.log", nil, facts(5, "cc"), text: text("", "\u{7}hi\n")),
    ]
    var container = PartDiff(.container, .different)
    container.equal = 17
    container.equalButNames = 2
    container.files = [
      file(
        "container/home/cache.sqlite", facts(4096, "aaaabbbbccccdddd"), facts(8192, "1111"),
        noText: .binary),
      file("container/home/mode", facts(1, "aa", mode: "600"), facts(1, "aa")),
      file("container/home/only\n", facts(1, "aa"), nil),
      file(
        "container/home/link", FileFacts(type: "symlink", mode: "777", target: "a"),
        FileFacts(type: "symlink", mode: "777", target: "b")),
      file("container/home/note.txt", facts(2, "aa"), facts(2, "bb"), text: text("a\n", "b\n")),
    ]
    return [
      manifest, journal, index, logs, PartDiff(.command, .same), container,
      PartDiff(.other, .absent),
    ]
  }

  static var different: BundleDiff {
    BundleDiff(
      a: side(0), b: side(1), isExact: false, replaced: [names], sameMessage: false, parts: parts)
  }

  static var equal: BundleDiff {
    var container = PartDiff(.container, .same)
    container.equalButNames = 1
    return BundleDiff(
      a: side(0), b: side(0), isExact: false, replaced: [], sameMessage: true,
      parts: [PartDiff(.manifest, .same), container, PartDiff(.journal, .absent)])
  }
}
