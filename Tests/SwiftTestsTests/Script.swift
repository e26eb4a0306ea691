import RunModel
import Workers

@testable import SwiftTests

/// Feeds a transcript with what a process would write.
struct Script {
  static let nonce = "00000000deadbeef"
  var transcript: BatchTranscript
  var events: [BatchTranscript.Event] = []
  private var boundary = 0

  init(xctest names: String...) {
    transcript = BatchTranscript(
      tests: names.map {
        TestDescriptor(id: TestID(product: "P", library: .xctest, name: $0))
      }, nonce: Self.nonce)
  }

  /// - Parameter lineLimit: Bytes of the longest line that is read.
  init(testing names: String..., lineLimit: Int = LineSplitter.standardLimit) {
    transcript = BatchTranscript(
      tests: names.map {
        TestDescriptor(
          id: TestID(product: "P", library: .testing, name: $0), libraryID: $0 + "/F.swift:1:1")
      }, nonce: Self.nonce, lineLimit: lineLimit)
  }

  mutating func send(_ stream: ProcessStream, _ text: String) {
    var text = text
    events += text.withUTF8 { transcript.feed(stream, UnsafeRawBufferPointer($0)) }
  }

  mutating func mark() {
    let digits = String(boundary, radix: 16)
    let marker =
      "\u{1E}\(Self.nonce)" + String(repeating: "0", count: 8 - digits.count) + digits + "\u{1F}"
    send(.stdout, marker)
    send(.stderr, marker)
  }

  mutating func start(_ name: String) {
    boundary += 1
    send(.channel, "{\"k\":\"start\",\"n\":\"\(name)\",\"s\":\(boundary)}\n")
    mark()
  }

  mutating func end(_ name: String, ok: Bool = true, more: String = "") {
    boundary += 1
    send(
      .channel,
      "{\"k\":\"end\",\"n\":\"\(name)\",\"d\":0.5,\"ok\":\(ok)\(more),\"s\":\(boundary)}\n")
    mark()
  }

  /// The start of the class whose first test is given.
  mutating func prepare(_ name: String) {
    boundary += 1
    send(.channel, "{\"k\":\"suite\",\"n\":\"\(name)\",\"s\":\(boundary)}\n")
    mark()
  }

  mutating func close() { send(.channel, "{\"k\":\"closed\",\"executed\":1}\n") }

  /// An event of Swift Testing's stream.
  ///
  /// - Parameter symbol: That of the event's message; `nil` for an event without one.
  mutating func stream(
    _ kind: String, _ name: String?, at time: Double = 0, _ more: String = "",
    symbol: String? = nil, isSuite: Bool = false
  ) {
    if ["testStarted", "testEnded", "runEnded"].contains(kind) {
      boundary += 1
      send(.channel, "{\"k\":\"boundary\",\"s\":\(boundary)}\n")
    }
    let place = isSuite ? "" : "/F.swift:1:1"
    let id = name.map { "\"testID\":\"\($0)\(place)\"," } ?? ""
    let message = symbol.map { "{\"symbol\":\"\($0)\",\"text\":\"\"}" } ?? ""
    send(
      .channel,
      "{\"version\":0,\"kind\":\"event\",\"payload\":{\(id)\"kind\":\"\(kind)\","
        + "\"instant\":{\"absolute\":\(time),\"since1970\":0},\"messages\":[\(message)]\(more)}}\n")
    if ["testStarted", "testEnded", "runEnded"].contains(kind) { mark() }
  }

  mutating func conclude(
    _ end: ProcessEnd = .exited(0), _ intervention: BatchTranscript.Intervention? = nil,
    leaks: [Leak] = [], cause: String? = nil
  ) -> (outcomes: [String: TestOutcome], unstarted: [String], isClean: Bool) {
    let conclusion = transcript.conclude(
      end: end, intervention: intervention, leaks: leaks, cause: cause)
    events += conclusion.events
    var outcomes: [String: TestOutcome] = [:]
    for case .finished(let test, let outcome) in events { outcomes[test.name] = outcome }
    return (outcomes, conclusion.unstarted.map(\.name), conclusion.isClean)
  }

  /// What a test wrote.
  func output(of name: String, _ stream: ProcessStream = .stdout) -> String {
    var bytes: [UInt8] = []
    for case .output(let test, stream, let piece) in events where test.name == name {
      bytes += piece
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
