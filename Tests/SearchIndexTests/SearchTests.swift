import Glibc
import IntentWire
import SearchIndex
import TestSupport
import Testing

@Suite struct SearchTests {
  /// A fresh index in a folder of its own.
  final class Index {
    let index: SearchIndex
    private let folder: TemporaryFolder

    init(_ titles: [String] = []) throws {
      folder = try TemporaryFolder(name: "an index, größer")
      try SearchIndex.createEmpty(at: folder.path(of: "index.sqlite"))
      index = try SearchIndex(path: folder.path(of: "index.sqlite"))
      for (number, title) in titles.enumerated() { try add("\(number)", title) }
    }

    func add(
      _ identifier: String, _ title: String, type: String = "Note", domain: String? = nil,
      body: String? = nil
    ) throws {
      let fields =
        [IndexUpdate.Field("title", title)] + (body.map { [.init("textContent", $0)] } ?? [])
      try index.apply(
        .upsert([.init(type: type, identifier: identifier, domain: domain, fields: fields)]))
    }

    func search(_ text: String?, type: String? = nil, field: SearchField? = nil) throws -> [String]
    {
      try index.search(text, type: type, field: field).map(\.identifier).sorted()
    }
  }

  static let titles = [
    "Groceries for Friday", "Café in Zürich", "日本語の勉強", "東京タワー", "한국어 공부",
    "Việt Nam", "ガイドブック", "C++ & SQL \"notes\" -- (draft)", "学", "100% Baumwolle",
    "Hauptstraße 5°", "ﾊﾝｶｸ ﾊﾟﾋﾟﾌﾟ", "🎉Party👨‍👩‍👧 ❤️", "ＦＵＬＬ ﬁeld",
  ]

  @Test(
    arguments: [
      ("groceries", [0]), ("GROC", [0]), ("fri groc", [0]), ("groceries monday", []), ("cafe", [1]),
      ("CAFÉ", [1]), ("cafe\u{301}", [1]), ("zurich", [1]), ("Zu\u{308}rich", [1]), ("日", [2]),
      ("日本", [2]), ("本語", [2]), ("日本語", [2]), ("日語", []), ("語日", []), ("の", [2]),
      ("東京", [3]), ("タワー", [3]), ("京タ", [3]), ("한국", [4]), ("국어", [4]), ("공부", [4]),
      ("한", [4]), ("\u{1112}\u{1161}\u{11AB}\u{1100}\u{116E}\u{11A8}", [4]), ("viet nam", [5]),
      ("Vie\u{302}\u{323}t", [5]), ("ガイド", [6]), ("カ\u{3099}イド", [6]), ("学", [8]),
      ("勉強 日本", [2]), ("sql draft", [7]), ("100", [9]), ("baumw", [9]),
      ("hauptstraße", [10]), ("HAUPTSTRASSE", [10]), ("HAUPTSTRAẞE", [10]), ("5", [10]),
      ("ハン", [11]), ("ﾊﾝ", [11]), ("パピプ", [11]), ("ﾋﾟ", [11]), ("🎉", [12]), ("party", [12]),
      ("👩", [12]), ("👨‍👩‍👧", [12]), ("❤", [12]), ("❤️", [12]), ("🎂", []), ("full", [13]),
      ("ｆｉｅｌｄ", [13]), ("field", [13]),
    ] as [(String, [Int])])
  func wordsAreFound(text: String, rows: [Int]) throws {
    #expect(try Index(Self.titles).search(text) == rows.map { "\($0)" })
  }

  /// What is an operator of FTS5, or of SQL, is text here.
  @Test(
    arguments: [
      ("\"", []), ("*", []), ("", []), ("   ", []), ("- (", []), ("NEAR(a b)", []),
      ("title:groc", []),
      ("groceries OR nothing", []), ("groceries AND friday", []), ("NOT groceries", []),
      ("c++ & sql", [7]), ("\"notes\"", [7]), ("-- (draft)", [7]), ("^groceries", [0]),
      ("groceries*", [0]), ("'; DROP TABLE entry; --", []), ("sql\"draft", [7]), ("100%", [9]),
    ] as [(String, [Int])])
  func userTextIsNoSyntax(text: String, rows: [Int]) throws {
    let index = try Index(Self.titles)
    #expect(try index.search(text) == rows.map { "\($0)" })
    #expect(try index.index.entries().count == Self.titles.count)
  }

  /// Time must not grow with the square of what somebody types.
  @Test func textsOfVeryManyWordsAreRefused() throws {
    let index = try Index(["x 机 y"])
    #expect(try index.search(String(repeating: "x ", count: 200_000)) == ["0"])
    #expect(try index.search(String(repeating: "q", count: 1_000_000)) == [])
    let words = (0..<1000).map { "w\($0)" }.joined(separator: " ")
    #expect(try index.search(words) == [])
    #expect(try index.search(String(repeating: "机", count: 1000)) == [])
    for text in [words + " more", String(repeating: "机", count: 100_000)] {
      let error = #expect(throws: SearchIndexError.self) { try index.search(text) }
      #expect(error?.code == .queryTooLong)
      #expect(error?.message.contains("words; 1000 at most are searched for at once") == true)
    }
  }

  @Test func allMatchesAreFound() throws {
    let index = try Index()
    try index.index.apply(
      .upsert(
        (0..<2500).map {
          .init(type: "Note", identifier: "\($0)", fields: [.init("title", "same \($0)")])
        }))
    #expect(try index.search("same").count == 2500)
    #expect(try index.search(nil).count == 2500)
  }

  /// A disk that is full refuses an update; what was there stays.
  @Test(.enabled(if: geteuid() == 0, "mounting takes root"))
  func fullDiskLeavesTheIndexAsItWas() throws {
    let folder = try TemporaryFolder()
    try #require(mount("none", folder.path, "tmpfs", 0, "size=12m") == 0)
    defer { umount2(folder.path, Int32(MNT_DETACH)) }
    let path = folder.path(of: "index.sqlite")
    try SearchIndex.createEmpty(at: path)
    let index = try SearchIndex(path: path)
    var failures = 0
    var kept = 0
    for number in 0..<60 where failures < 5 {
      var generator = SeededGenerator(seed: number)
      let entries = (0..<1000).map { entry in
        let words = (0..<50).map { _ in "word\(Int.random(in: 0..<10_000, using: &generator))" }
        return IndexUpdate.Entry(
          type: "Note", identifier: "\(number)-\(entry)",
          fields: [.init("title", "all " + words.joined(separator: " "))])
      }
      do throws(SearchIndexError) {
        try index.apply(.upsert(entries))
        kept += entries.count
      } catch {
        failures += 1
        #expect(error.isOfSurroundings && error.description.contains("full"), "\(error)")
      }
      #expect(try index.search("all").count == kept)
    }
    #expect(failures == 5 && kept > 0)
    try index.apply(.upsert([.init(type: "Note", identifier: "0-0")]))
    #expect(try index.search(nil).count == kept)
  }

  @Test func fieldsAndTypes() throws {
    let index = try Index()
    try index.add("1", "Milk", body: "from the cow")
    try index.add("2", "Cow", body: "gives milk")
    try index.add("3", "Milk", type: "List")
    #expect(try index.search("milk") == ["1", "2", "3"])
    #expect(try index.search("milk", type: "Note") == ["1", "2"])
    #expect(try index.search("milk", field: .title) == ["1", "3"])
    #expect(try index.search("milk cow", field: .title) == [])
    #expect(try index.search("milk cow") == ["1", "2"])
    #expect(try index.search(nil, type: "Note") == ["1", "2"])
    #expect(try index.search(nil, type: "Other") == [])
  }

  @Test func updates() throws {
    let index = try Index()
    try index.add("1", "One", domain: "a")
    try index.add("1", "Uno", domain: "a")
    #expect(try index.search("one") == [])
    #expect(try index.search("uno") == ["1"])
    try index.add("2", "Two", domain: "a.b")
    try index.add("3", "Three", domain: "ab")
    try index.add("3", "Drei", type: "List")
    try index.index.apply(.deleteDomains(["a"]))
    #expect(try index.search(nil) == ["3", "3"])
    try index.index.apply(.delete(type: "Note", identifiers: ["3", "unknown"]))
    #expect(try index.index.search(nil).map(\.type) == ["List"])
    try index.add("4", "Four")
    try index.index.apply(.deleteType("List"))
    #expect(try index.search(nil) == ["4"])
    try index.index.apply(.deleteAll)
    #expect(try index.search(nil) == [] && index.search("four") == [])
    #expect(try index.index.entries() == [])
  }

  @Test func entriesAreDumpedAsTheyWereGiven() throws {
    let index = try Index()
    try index.add("b", "日本 \"x\"\n", domain: "d", body: "")
    try index.add("a", "A")
    #expect(
      try index.index.entries() == [
        .init(type: "Note", identifier: "a", fields: [.init("title", "A")]),
        .init(
          type: "Note", identifier: "b", domain: "d",
          fields: [.init("title", "日本 \"x\"\n"), .init("textContent", "")]),
      ])
  }

  @Test func otherFilesAreRefused() throws {
    let folder = try TemporaryFolder()
    #expect(throws: SearchIndexError.self) { try SearchIndex(path: folder.path(of: "none")) }
  }
}
