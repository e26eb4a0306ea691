import Testing

@testable import IntentWire

@Suite struct WireMessageTests {
  static let messages: [WireMessage] = [
    .request(id: 1, method: "hello", parameters: ["role": "test"]),
    .notification(method: "n", parameters: .object([])),
    .result(id: 7, ["value": nil]),
    .failure(id: 7, WireError(.needsValue, "What title?", log: "l", parameter: "title")),
    .failure(id: nil, WireError(.parseError, "no")),
    .failure(
      id: 1,
      WireError(
        .thrownByApp, "m",
        origin: .init(
          domain: "D", code: -3, caseName: "signedOut", localizedDescription: "Signed out",
          debugDescription: "d"))),
  ]

  static func read(_ line: some Sequence<UInt8>) throws -> WireMessage {
    try Array(line).withUnsafeBytes { try WireMessage(line: $0) }
  }

  @Test(arguments: messages) func messageComesBack(message: WireMessage) throws {
    #expect(message.line.last == 0x0A && !message.line.dropLast().contains(0x0A))
    #expect(try Self.read(message.line.dropLast()) == message)
  }

  @Test(arguments: [
    ("{", WireError.Code.parseError), ("[]", .invalidRequest), ("{}", .invalidRequest),
    (#"{"jsonrpc":"1.0","id":1,"result":0}"#, .invalidRequest),
    (#"{"jsonrpc":"2.0","id":"x","method":"m"}"#, .invalidRequest),
    (#"{"jsonrpc":"2.0","id":1,"method":"m","params":[]}"#, .invalidRequest),
    (#"{"jsonrpc":"2.0","result":0}"#, .invalidRequest),
    (#"{"jsonrpc":"2.0","id":1,"error":{"code":"x"}}"#, .invalidRequest),
  ])
  func wrongMessagesSayWhatIsWrong(text: String, code: WireError.Code) {
    let error = #expect(throws: WireError.self) { try Self.read(text.utf8) }
    #expect(error?.code == code)
  }

  @Test func valuesComeBack() throws {
    let note = IntentValue.Entity(
      type: "Note", identifier: "1",
      properties: [.init("title", .string("Milk")), .init("n", .null)],
      display: .init(title: "Milk", subtitle: "s"))
    let values: [IntentValue] = [
      .null, .bool(true), .int(.min), .double(0.1), .double(.infinity), .double(-.infinity),
      .string("ä\n"), .date(-1.25), .url("https://a.b/c"), .data([0, 255, 16]),
      .file(name: "a b", bytes: [1]),
      .enumeration(type: "Color", raw: "red"), .entity(note),
      .entity(.init(type: "Note", identifier: "2")),
      .query(.init(type: "Note", kind: .all)), .query(.init(type: "Note", kind: .suggested)),
      .query(.init(type: "Note", kind: .identifiers(["1", ""]))),
      .query(.init(type: "Note", kind: .matching("x"))),
      .query(.init(type: "Note", kind: .spotlight(nil))),
      .query(.init(type: "Note", kind: .spotlight("y"))),
      .array([.int(1), .null, .array([])]),
    ]
    for value in values {
      let bytes = value.json.bytes
      #expect(try IntentValue(json: WireJSON(reading: bytes)) == value)
    }
    guard case .double(let number) = try IntentValue(json: IntentValue.double(.nan).json) else {
      Issue.record("no number")
      return
    }
    #expect(number.isNaN)
  }

  @Test(arguments: [
    #"{}"#, #"{"int":"1"}"#, #"{"int":1,"bool":true}"#, #"{"what":1}"#, #"{"data":"0"}"#,
    #"{"data":"zz"}"#, #"{"double":"many"}"#, #"{"entity":{"type":"Note"}}"#, #"{"array":[1]}"#,
    #"{"query":{"type":"Note","kind":"other"}}"#, #"[]"#, #"1"#,
  ])
  func wrongValuesAreRefused(text: String) throws {
    let json = try WireJSON(reading: Array(text.utf8))
    #expect(throws: WireShapeError.self) { try IntentValue(json: json) }
  }

  @Test(arguments: [
    "Bool", "Int?", "[String]", "[entity Note]?", "enum Color", "[[Double?]]", "Date", "URL",
    "Data",
  ])
  func typesComeBack(text: String) {
    #expect(IntentValueType(text).map { "\($0)" } == text)
  }

  @Test(arguments: ["", "?", "[]", "Float", "entity ", "enum", "entity", "[Int", "struct X"])
  func otherTypesAreUnknown(text: String) {
    #expect(IntentValueType(text) == nil)
  }

  @Test func linesAreCutAndBounded() {
    var framer = LineFramer(limit: 5)
    var lines: [String?] = []
    func feed(_ text: String) {
      Array(text.utf8).withUnsafeBytes { bytes in
        framer.feed(bytes) { line in lines.append(line.map { String(decoding: $0, as: UTF8.self) })
        }
      }
    }
    feed("a\nbc")
    feed("\n\n12345\n123456\nx\n")
    feed("123")
    feed("456")
    #expect(lines == ["a", "bc", "", "12345", nil, "x", nil])
    feed("789\ny\n")
    #expect(lines.suffix(2) == [nil, "y"])
    #expect(!framer.isInsideLine)
  }

  /// An error fits into a message whatever its texts are, and keeps what tells it from others.
  @Test func textsOfErrorsAreCut() throws {
    let text = String(repeating: "\u{1B}é", count: 1_000_000)
    var error = WireError(
      .thrownByApp, text, log: text,
      origin: .init(
        domain: text, code: 7, caseName: "broken", localizedDescription: text,
        debugDescription: text), parameter: "title")
    error.queries = .array([.string(text)])
    let line = WireMessage.failure(id: 1, error).line
    #expect(line.count < WireMessage.maximumLength / 2)
    let read = try line.dropLast().withUnsafeBytes { try WireMessage(line: $0) }
    guard case .failure(1?, let short) = read else {
      Issue.record("\(read)")
      return
    }
    #expect(short == error.shortened)
    #expect(short.origin?.code == 7 && short.origin?.caseName == "broken")
    #expect(short.parameter == "title" && short.queries == nil)
    for cut in [short.message, short.log, short.origin?.localizedDescription] {
      let cut = try #require(cut)
      #expect(cut.hasPrefix("\u{1B}é\u{1B}") && cut.hasSuffix("é\u{1B}é"))
      #expect(cut.contains(" bytes left out here]") && cut.utf8.count <= 128 << 10)
    }
    #expect(short.shortened == short)
    #expect(WireError(.internalError, "short").shortened == WireError(.internalError, "short"))
  }

  @Test(arguments: [Double.nan, .signalingNaN, -Double.nan, .infinity, -.infinity, 1e300, -0.5])
  func numbersThatJSONDoesNotHave(number: Double) throws {
    for value in [IntentValue.double(number), .date(number)] {
      let json = try WireJSON(reading: value.json.bytes)
      switch try IntentValue(json: json) {
      case .double(let read), .date(let read):
        #expect(read == number || (read.isNaN && number.isNaN))
      default: Issue.record("\(json)")
      }
    }
  }
}
