import FoundationEssentials

/// One line of a process's channel: a record of the observer or of Swift Testing's event stream.
///
/// The event stream is version 0, the one that names the cases of parameterized tests; of records
/// of unknown kinds only the kind is read, and unknown fields are ignored, as its specification
/// asks.
enum ChannelRecord: Sendable {
  case observer(ObserverRecord)
  case stream(StreamRecord)

  /// - Returns: `nil` for a line that is neither.
  init?(line: UnsafeRawBufferPointer) {
    if let usual = ChannelRecord(usualLine: line) {
      self = usual
      return
    }
    let data = Data(line)
    if line.starts(with: #"{"k":"#.utf8) {
      guard let record = try? JSONDecoder().decode(ObserverRecord.self, from: data) else {
        return nil
      }
      self = .observer(record)
    } else {
      guard let record = try? JSONDecoder().decode(StreamRecord.self, from: data) else {
        return nil
      }
      self = .stream(record)
    }
  }
}

/// A record of the observer; which members there are depends on the kind.
struct ObserverRecord: Decodable, Sendable {
  enum Kind: String, Decodable {
    case hello, homes, test, inherited, suite, start, issue, end, closed, missing, boundary,
      error, finding, child, refused, unseen, unreachable, limit
  }

  var kind: Kind
  var name: String?
  var sequence: Int?
  var message: String?
  var path: String?
  var file: String?
  var line: Int?
  var duration: Double?
  /// Seconds since 1970.
  var time: Double?
  var succeeded: Bool?
  var skipped: Bool?
  var reason: String?
  var className: String?
  var method: String?
  var executed: Int?
  var pid: Int32?
  /// The folders that Foundation named, by the call that did.
  var homes: [String: String] = [:]

  private enum CodingKeys: String, CodingKey {
    case kind = "k"
    case name = "n"
    case sequence = "s"
    case message = "m"
    case path = "p"
    case file = "f"
    case line = "l"
    case duration = "d"
    case time = "w"
    case succeeded = "ok"
    case skipped, reason, executed, pid
    case className = "c"
  }

  private struct AnyKey: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    kind = try values.decode(Kind.self, forKey: .kind)
    name = try values.decodeIfPresent(String.self, forKey: .name)
    sequence = try values.decodeIfPresent(Int.self, forKey: .sequence)
    message = try values.decodeIfPresent(String.self, forKey: .message)
    path = try values.decodeIfPresent(String.self, forKey: .path)
    file = try values.decodeIfPresent(String.self, forKey: .file)
    line = try values.decodeIfPresent(Int.self, forKey: .line)
    duration = try values.decodeIfPresent(Double.self, forKey: .duration)
    time = try values.decodeIfPresent(Double.self, forKey: .time)
    succeeded = try values.decodeIfPresent(Bool.self, forKey: .succeeded)
    skipped = try values.decodeIfPresent(Bool.self, forKey: .skipped)
    reason = try values.decodeIfPresent(String.self, forKey: .reason)
    className = try values.decodeIfPresent(String.self, forKey: .className)
    pid = try values.decodeIfPresent(Int32.self, forKey: .pid)
    executed = try values.decodeIfPresent(Int.self, forKey: .executed)
    if kind == .homes {
      let all = try decoder.container(keyedBy: AnyKey.self)
      for key in all.allKeys where key.stringValue != "k" {
        homes[key.stringValue] = try all.decode(String.self, forKey: key)
      }
    }
    if kind == .test {
      method = message
      message = nil
    }
    guard isWhole else {
      throw DecodingError.dataCorruptedError(
        forKey: .kind, in: values, debugDescription: "a member is missing")
    }
  }

  /// Whether the record has what a record of its kind cannot do without.
  private var isWhole: Bool {
    switch kind {
    case .hello, .homes, .closed, .error, .finding: true
    case .test: className != nil && method != nil
    case .inherited: className != nil && name != nil
    case .issue, .missing: name != nil
    case .refused, .unreachable, .limit: message != nil
    case .unseen: message != nil && path != nil
    case .suite, .start: name != nil && sequence != nil
    case .end: name != nil && sequence != nil && succeeded != nil
    case .boundary: sequence != nil
    case .child: pid != nil && sequence != nil
    }
  }
}

/// A record of Swift Testing's event stream, version 0.
struct StreamRecord: Decodable, Sendable {
  struct Location: Decodable, Sendable {
    var _filePath: String?
    var filePath: String?
    var fileID: String?
    var line: Int
    var column: Int?
  }

  struct Message: Decodable, Sendable {
    var symbol: String?
    var text: String
  }

  struct Instant: Decodable, Sendable {
    var absolute: Double
    var since1970: Double?
  }

  struct Issue: Decodable, Sendable {
    var isKnown: Bool
    var sourceLocation: Location?
    var severity: String?
    var _severity: String?
  }

  struct TestCase: Decodable, Sendable {
    var displayName: String
  }

  struct Payload: Decodable, Sendable {
    var kind: String
    var id: String?
    var name: String?
    var displayName: String?
    var isParameterized: Bool?
    var sourceLocation: Location?
    var _sourceLocation: Location?
    var _tags: [String]?
    var testID: String?
    var instant: Instant?
    var issue: Issue?
    var messages: [Message]?
    var _testCase: TestCase?
    var _comments: [String]?
  }

  /// `test` or `event`.
  var kind: String
  var payload: Payload

  /// Kinds of events of which more than the kind is read.
  private static let readKinds: Set<String> = [
    "testStarted", "testCaseStarted", "testCaseEnded", "testCaseCancelled", "issueRecorded",
    "testCancelled", "testSkipped", "testEnded",
  ]

  private enum CodingKeys: String, CodingKey {
    case kind, payload
  }

  private struct PayloadKind: Decodable {
    var kind: String
  }

  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    kind = try values.decode(String.self, forKey: .kind)
    guard kind == "event" || kind == "test" else {
      payload = Payload(kind: "")
      return
    }
    let event = try values.decode(PayloadKind.self, forKey: .payload).kind
    if kind == "event", !Self.readKinds.contains(event) {
      payload = Payload(kind: event)
    } else {
      payload = try values.decode(Payload.self, forKey: .payload)
    }
  }
}
