import FoundationEssentials
import Testing

@testable import SwiftTests

/// The short way of reading says the same as the decoder.
@Suite struct ChannelRecordTests {
  static let names = [
    "M.f()/F.swift:1:2", #"M.S\/f()\/F.swift:1:2"#, #"M.`a \"q\" \\ b`()\/F.swift:1:2"#,
    #"M.`\u00e9 🦊`()\/F.swift:1:2"#, "M.`é`()/F.swift:1:2",
  ]

  static func event(_ kind: String, _ name: String, _ time: String) -> String {
    #"{"kind":"event","payload":{"instant":{"absolute":\#(time),"since1970":17.5},"#
      + #""kind":"\#(kind)","messages":[{"symbol":"default","text":"Test started."}],"#
      + #""testID":"\#(name)"},"version":0}"#
  }

  func stream(_ line: String) throws -> StreamRecord {
    try JSONDecoder().decode(StreamRecord.self, from: Data(line.utf8))
  }

  @Test(arguments: names, ["testStarted", "testEnded"])
  func testEventsAreReadAlike(name: String, kind: String) throws {
    for time in ["12345.678901", "0", "1e-3"] {
      var line = Self.event(kind, name, time)
      let expected = try stream(line)
      let record = line.withUTF8 { ChannelRecord(line: UnsafeRawBufferPointer($0)) }
      guard case .stream(let found) = record else {
        Issue.record("\(line) was not read")
        return
      }
      #expect(found.kind == "event" && found.payload.kind == kind)
      #expect(found.payload.testID == expected.payload.testID)
      #expect(found.payload.instant?.absolute == expected.payload.instant?.absolute)
    }
  }

  @Test func onlyTheUsualLinesGoTheShortWay() {
    func isUsual(_ line: String) -> Bool {
      var line = line
      return line.withUTF8 { ChannelRecord(usualLine: UnsafeRawBufferPointer($0)) != nil }
    }
    #expect(isUsual(Self.event("testStarted", "M.f()", "1")))
    #expect(isUsual(#"{"k":"boundary","s":12}"#))
    for line in [
      Self.event("issueRecorded", "M.f()", "1"), Self.event("testStarted", "M.f()", "\"x\""),
      Self.event("testStarted", #"M.\n()"#, "1"), #"{"k":"boundary","s":}"#, #"{"k":"boundary""#,
      #"{"k":"boundary","s":1"#, #"{"kind":"event","payload":{"kind":"testStarted","testID":"M"#,
      #"{"k":"start","n":"boundary"}"#, "", "{}",
    ] {
      #expect(!isUsual(line), "\(line)")
    }
  }

  @Test func boundariesAreRead() {
    var line = #"{"k":"boundary","s":4096}"#
    let record = line.withUTF8 { ChannelRecord(line: UnsafeRawBufferPointer($0)) }
    guard case .observer(let found) = record else {
      Issue.record("not read")
      return
    }
    #expect(found.kind == .boundary && found.sequence == 4096)
  }
}
