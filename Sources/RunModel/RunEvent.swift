/// The version of the event log's format, `MAJOR.MINOR`.
package let eventLogFormat = FormatVersion(major: 1, minor: 0)

/// One line of the event log.
package struct RunEvent: Hashable, Sendable {
  /// What happened; docs/event-log.md describes each kind and their order.
  package enum Kind: Hashable, Sendable {
    case runStarted(RunHeader)
    case testPlanned(TestDescriptor)
    case batchStarted(BatchStart)
    case attemptStarted(AttemptStart)
    case attemptFinished(AttemptResult)
    case batchFinished(BatchFinish)
    case bundleWritten(BundleReference)
    case testFinished(TestResult)
    case problem(RunProblem)
    case resultSetAside(SetAsideResult)
    case runFinished(RunFinish)
    /// A kind that this version does not know; readers skip it.
    case unknown(String)
  }

  /// Seconds since 1970.
  package var time: Double
  package var kind: Kind
  /// The run in which it happened, when its record is that of another run; see
  /// ``RunHeader/sources``.
  package var run: String?

  package init(time: Double, _ kind: Kind, run: String? = nil) {
    self.time = time
    self.run = run
    self.kind = kind
  }
}

extension RunEvent: Codable {
  private enum CodingKeys: String, CodingKey { case time, kind, payload, run }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    func payload<T: Decodable>(_: T.Type = T.self) throws -> T {
      try container.decode(T.self, forKey: .payload)
    }
    time = try container.decode(Double.self, forKey: .time)
    run = try container.decodeIfPresent(String.self, forKey: .run)
    let name = try container.decode(String.self, forKey: .kind)
    kind =
      switch name {
      case "runStarted": .runStarted(try payload())
      case "testPlanned": .testPlanned(try payload())
      case "batchStarted": .batchStarted(try payload())
      case "attemptStarted": .attemptStarted(try payload())
      case "attemptFinished": .attemptFinished(try payload())
      case "batchFinished": .batchFinished(try payload())
      case "bundleWritten": .bundleWritten(try payload())
      case "testFinished": .testFinished(try payload())
      case "problem": .problem(try payload())
      case "resultSetAside": .resultSetAside(try payload())
      case "runFinished": .runFinished(try payload())
      default: .unknown(name)
      }
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(time, forKey: .time)
    try container.encodeIfPresent(run, forKey: .run)
    func write(_ name: String, _ payload: some Encodable) throws {
      try container.encode(name, forKey: .kind)
      try container.encode(payload, forKey: .payload)
    }
    switch kind {
    case .runStarted(let value): try write("runStarted", value)
    case .testPlanned(let value): try write("testPlanned", value)
    case .batchStarted(let value): try write("batchStarted", value)
    case .attemptStarted(let value): try write("attemptStarted", value)
    case .attemptFinished(let value): try write("attemptFinished", value)
    case .batchFinished(let value): try write("batchFinished", value)
    case .bundleWritten(let value): try write("bundleWritten", value)
    case .testFinished(let value): try write("testFinished", value)
    case .problem(let value): try write("problem", value)
    case .resultSetAside(let value): try write("resultSetAside", value)
    case .runFinished(let value): try write("runFinished", value)
    case .unknown(let name): try container.encode(name, forKey: .kind)
    }
  }
}
