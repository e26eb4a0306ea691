import RunModel
import Testing

@Suite struct JSONMembersTests {
  private func members(_ text: String) -> JSONMembers? { JSONMembers(of: Array(text.utf8)) }

  @Test func valuesOfEveryKindAreFound() throws {
    let text = #"""
       { "a" : [1, {"b": "]}"}] , "c":"x\"},\\", "d": -1.5e3,"e":{"f":{}},
      "g" : null, "\u0068": true }
      """#
    let found = try #require(members(text))
    #expect(found.names == ["a", "c", "d", "e", "g", "h"])
    #expect(found.value(of: "c", as: String.self) == "x\"},\\")
    #expect(found.value(of: "d", as: Double.self) == -1500)
    #expect(found.value(of: "e", as: [String: [String: Int]].self) == ["f": [:]])
    #expect(found.text(of: "a").map { String(decoding: $0, as: UTF8.self) } == #"[1, {"b": "]}"}]"#)
    #expect(found.value(of: "a", as: [String].self) == nil)
    #expect(found.text(of: "b") == nil)
  }

  @Test func theLastMemberOfANameCounts() {
    #expect(members(#"{"a":1,"a":2}"#)?.value(of: "a", as: Int.self) == 2)
  }

  @Test func anObjectMayBeEmpty() { #expect(members(" {} ")?.names == []) }

  @Test(arguments: [
    "", "[", "{", "[]", "1", "{\"a\"", "{\"a\":", "{\"a\":}", "{\"a\":1", "{\"a\":1,", "{\"a\":[1}",
    "{\"a\" 1}", "{a:1}", "{\"a\":\"\\", "{\"a\":\"\\\"", "{\"a\":1 \"b\":2}, ", "{,}",
  ])
  func whatIsNoObjectIsNotRead(text: String) {
    #expect(members(text)?.value(of: "a", as: Int.self) == nil)
  }

  /// Every prefix and every change of one byte is read or refused, without a trap.
  @Test func damagedTextsAreReadOrRefused() {
    let text = Array(#"{"a":[{"b":"\\\""}],"c":{"d":-1},"e":null}"#.utf8)
    var readable = 0
    for end in 0...text.count where JSONMembers(of: Array(text[..<end])) != nil { readable += 1 }
    #expect(readable == 1)
    for index in text.indices {
      for byte in UInt8.min...UInt8.max {
        var changed = text
        changed[index] = byte
        _ = JSONMembers(of: changed)?.names
      }
    }
  }
}
