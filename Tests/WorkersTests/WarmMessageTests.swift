import Testing

@testable import Workers

/// What Carrel and a warm process write to each other.
struct WarmMessageTests {
  private func reply(_ words: Int32...) -> WarmReply? {
    WarmReply(words.flatMap { word in withUnsafeBytes(of: word) { Array($0) } })
  }

  @Test func requestIsFolderThenCountsThenLimitsThenArgumentsThenVariables() {
    var request = ProcessRequest(
      executable: "/x y", arguments: ["ä"], environment: ["B": "", "A": "1"], scope: "s")
    #expect(request.encoded == Array("\00\02\0/x y\0ä\0A=1\0B=\0CARREL_SCOPE=s\0".utf8))
    request.limits = ProcessLimits(
      resources: [.init(number: 7, value: 64)], processors: [0, 3], groups: [9])
    request.directory = "/d e"
    request.environment = [:]
    #expect(
      request.encoded
        == Array(
          "/d e\03\02\07 64\0processor 0\0processor 3\0/x y\0ä\0CARREL_SCOPE=s\0".utf8))
    // An empty argument is one, and nothing is passed on after a zero byte.
    request = ProcessRequest(
      executable: "/x", arguments: ["", "a\0b"], environment: [:], scope: "s")
    #expect(request.encoded == Array("\00\03\0/x\0\0a\0CARREL_SCOPE=s\0".utf8))
  }

  @Test func headerIsTwoShortNumbersAndALongOne() {
    let header = WarmRequest.header(namespaces: 0x0102_0304, groups: 2, capabilities: 1 << 33)
    #expect(header == [4, 3, 2, 1, 2, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0])
  }

  @Test func repliesAreRead() {
    #expect(reply(1, 1, 0, 0) == .ready(WarmState(threads: 1, openDescriptors: 0)))
    #expect(reply(1, 3, -1, 0) == .ready(WarmState(threads: 3, openDescriptors: -1)))
    #expect(reply(2, 4711, 0, 0) == .started(pid: 4711))
    #expect(reply(2, -11, 0, 0) == .failed(errorNumber: 11))
  }

  @Test func nothingElseIsAReply() {
    #expect(reply() == nil)
    #expect(reply(1, 1) == nil)
    #expect(reply(1, 1, 0) == nil)
    #expect(reply(1, 1, 0, 0, 0) == nil)
    #expect(reply(0, 1, 0, 0) == nil)
    #expect(reply(3, 1, 0, 0) == nil)
    #expect(reply(2, 0, 0, 0) == nil)
    #expect(reply(2, Int32.min, 0, 0) == nil)
  }

  @Test func onlyAPlainProcessIsCopied() {
    #expect(WarmState(threads: 1, openDescriptors: 0).objection == nil)
    #expect(WarmState(threads: 2, openDescriptors: 0).objection?.contains("2 threads") == true)
    #expect(WarmState(threads: -1, openDescriptors: 0).objection != nil)
    #expect(WarmState(threads: 1, openDescriptors: 1).objection?.contains("open files") == true)
    let sharing = WarmState(threads: 1, openDescriptors: 0, sharedMappings: 1)
    #expect(sharing.objection?.contains("shares memory") == true)
    #expect(WarmState(threads: 1, openDescriptors: -1).objection?.contains("libdispatch") == true)
  }
}
