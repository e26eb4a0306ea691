import Testing

@testable import IntentWire

@Suite struct WireJSONTests {
  @Test(arguments: [
    "null", "true", "false", "0", "-1", "9223372036854775807", "-9223372036854775808", "1.5",
    "\"\"", "\"ä€😀\"", "[]", "{}", "[1,[2,{}]]", #"{"a":1,"b":{"c":"d"}}"#,
    #""\"\\\n\r\t\u0000\u001f""#,
  ])
  func textComesBack(text: String) throws {
    #expect(String(decoding: try WireJSON(reading: Array(text.utf8)).bytes, as: UTF8.self) == text)
  }

  @Test(arguments: [
    (" [ 1 , 2 ] ", WireJSON.array([1, 2])), (#""\u00e4\ud83d\ude00\/""#, "ä😀/"),
    ("1e2", .double(100)), ("1E-2", .double(0.01)), ("18446744073709551616", .double(0x1p64)),
    ("-0", .int(0)), ("\"\u{7F}\"", "\u{7F}"),
  ])
  func otherSpellings(text: String, value: WireJSON) throws {
    #expect(try WireJSON(reading: Array(text.utf8)) == value)
  }

  @Test(arguments: [
    "", " ", "nul", "tru", "01", "-", "1.", "1e", "1e999", "\"", "\"\\x\"", "\"\\u12\"",
    "\"\\ud800\"", "\"\\ud800\\u0041\"", "\"\\udc00\"", "\"\n\"", "[", "[1", "[1,", "[1,]", "[1 2]",
    "{", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,}", "{a:1}", "{\"a\":1,\"a\":2}", "1 2", "NaN",
    "Infinity", "'a'", "\u{FEFF}1",
  ])
  func whatIsNoJSONIsRefused(text: String) {
    #expect(throws: WireSyntaxError.self) { try WireJSON(reading: Array(text.utf8)) }
  }

  @Test func invalidCharactersAreRefused() {
    for bytes in [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xE2, 0x82]] as [[UInt8]] {
      #expect(throws: WireSyntaxError.self) { try WireJSON(reading: [0x22] + bytes + [0x22]) }
    }
  }

  @Test func depthIsBounded() throws {
    let deepest = WireJSON.maximumDepth
    func nested(_ depth: Int) -> [UInt8] {
      Array(repeating: 0x5B, count: depth) + Array(repeating: 0x5D, count: depth)
    }
    _ = try WireJSON(reading: nested(deepest))
    #expect(throws: WireSyntaxError.self) { try WireJSON(reading: nested(deepest + 1)) }
    #expect(throws: WireSyntaxError.self) { try WireJSON(reading: nested(1_000_000)) }
  }

  @Test func keysOfLargeObjectsAreUnique() {
    let keys = (0..<40).map { "\"k\($0)\":0" } + ["\"k3\":1"]
    let text = "{" + keys.joined(separator: ",") + "}"
    #expect(throws: WireSyntaxError.self) { try WireJSON(reading: Array(text.utf8)) }
  }

  /// Whatever comes, the reader returns or throws.
  @Test func randomBytesDoNoHarm() {
    var generator = SystemRandomNumberGenerator()
    let alphabet = Array("[]{}\",:\\u0123456789eE+-.truefalsn \u{0}\u{FF}".utf8)
    for _ in 0..<20_000 {
      let bytes = (0..<Int.random(in: 0..<60, using: &generator)).map { _ in
        alphabet[Int.random(in: 0..<alphabet.count, using: &generator)]
      }
      guard let value = try? WireJSON(reading: bytes) else { continue }
      #expect((try? WireJSON(reading: value.bytes)) == value)
    }
  }
}
