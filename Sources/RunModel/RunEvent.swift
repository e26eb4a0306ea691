/// The version of the event log's format, `MAJOR.MINOR`.
package let eventLogFormat = FormatVersion(major: 1, minor: 0)

/// A format's version: a reader accepts newer minor versions and refuses newer major ones.
package struct FormatVersion: Codable, Hashable, Sendable, CustomStringConvertible {
  package var major: Int
  package var minor: Int

  package init(major: Int, minor: Int) {
    self.major = major
    self.minor = minor
  }

  package init?(_ text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
    guard parts.count == 2, let major = parts[0], let minor = parts[1], major >= 0, minor >= 0
    else { return nil }
    self.init(major: major, minor: minor)
  }

  package var description: String { "\(major).\(minor)" }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let version = FormatVersion(text) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "not a format version: \(text)")
    }
    self = version
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

/// What a run is, known when it starts.
package struct RunHeader: Codable, Hashable, Sendable {
  package var format: FormatVersion
  package var runID: String
  /// Version of Carrel.
  package var carrel: String
  /// Absolute path of the package.
  package var packagePath: String
  /// The command line, without the executable.
  package var arguments: [String]
  package var workers: Int
  /// `auto` or the number of tests a batch.
  package var batch: String
  package var retries: Int
  /// Time limit of a test in seconds; `nil` for none.
  package var timeLimit: Double?
  package var leaksFail: Bool
  /// The isolation level in use.
  package var isolation: String
  /// Seed that fixture tokens are made from.
  package var seed: String
  /// The compiler's own one-line description.
  package var toolchain: String
  package var hostName: String
  /// Names of the caller's variables that reach the tests.
  package var passedVariables: [String]

  package init(
    runID: String, carrel: String, packagePath: String, arguments: [String], workers: Int,
    batch: String, retries: Int, timeLimit: Double?, leaksFail: Bool, isolation: String,
    seed: String, toolchain: String, hostName: String, passedVariables: [String]
  ) {
    self.format = eventLogFormat
    self.runID = runID
    self.carrel = carrel
    self.packagePath = packagePath
    self.arguments = arguments
    self.workers = workers
    self.batch = batch
    self.retries = retries
    self.timeLimit = timeLimit
    self.leaksFail = leaksFail
    self.isolation = isolation
    self.seed = seed
    self.toolchain = toolchain
    self.hostName = hostName
    self.passedVariables = passedVariables
  }
}

/// How the process of a batch comes to be.
package enum ProcessStart: String, Codable, Sendable {
  /// The executable is loaded anew.
  case cold
  /// It is the copy of a process in which the executable was loaded already.
  case warm
}

/// A batch that is about to start.
package struct BatchStart: Codable, Hashable, Sendable {
  package var batch: Int
  package var worker: Int
  package var purpose: AttemptPurpose
  /// The tests selected for the batch's process.
  package var tests: [TestID]
  /// `nil` in logs of versions that only knew cold starts.
  package var start: ProcessStart?

  package init(
    batch: Int, worker: Int, purpose: AttemptPurpose, tests: [TestID], start: ProcessStart? = nil
  ) {
    self.batch = batch
    self.worker = worker
    self.purpose = purpose
    self.tests = tests
    self.start = start
  }
}

/// An attempt whose test was seen to start.
package struct AttemptStart: Codable, Hashable, Sendable {
  package var test: TestID
  package var attempt: Int
  package var batch: Int
  package var worker: Int

  package init(test: TestID, attempt: Int, batch: Int, worker: Int) {
    self.test = test
    self.attempt = attempt
    self.batch = batch
    self.worker = worker
  }
}

/// A batch whose process and leftovers are gone.
package struct BatchFinish: Codable, Hashable, Sendable {
  package var batch: Int
  package var worker: Int
  /// `nil` when the process could not be started.
  package var end: ProcessEnd?
  /// Seconds from the start of the process to its end.
  package var duration: Double

  package init(batch: Int, worker: Int, end: ProcessEnd?, duration: Double) {
    self.batch = batch
    self.worker = worker
    self.end = end
    self.duration = duration
  }
}

/// A failure bundle that lies complete under its final name.
package struct BundleReference: Codable, Hashable, Sendable {
  package var test: TestID
  package var attempt: Int
  /// Path relative to the run's folder.
  package var path: String
  /// Size of the file in bytes.
  package var bytes: Int

  package init(test: TestID, attempt: Int, path: String, bytes: Int) {
    self.test = test
    self.attempt = attempt
    self.path = path
    self.bytes = bytes
  }
}

/// Something that went wrong outside of any test.
package struct RunProblem: Codable, Hashable, Sendable {
  package enum Severity: String, Codable, Sendable { case warning, error }

  package var severity: Severity
  /// Stable code, for example `listing-failed`.
  package var code: String
  package var message: String
  /// Output that explains it, if any.
  package var output: String?

  package init(severity: Severity, code: String, message: String, output: String? = nil) {
    self.severity = severity
    self.code = code
    self.message = message
    self.output = output
  }
}

/// How a run ended.
package struct RunFinish: Codable, Hashable, Sendable {
  /// The exit code of the command.
  package var exitCode: Int32
  /// Seconds from the start of the run.
  package var duration: Double
  /// The signal that ended the run early.
  package var interruptedBy: String?
  /// Processor time that Carrel itself used, without the processes it started, in seconds.
  package var processorSeconds: Double?

  package init(
    exitCode: Int32, duration: Double, interruptedBy: String? = nil,
    processorSeconds: Double? = nil
  ) {
    self.exitCode = exitCode
    self.duration = duration
    self.interruptedBy = interruptedBy
    self.processorSeconds = processorSeconds
  }
}

/// One line of the event log.
package struct RunEvent: Hashable, Sendable {
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
    case runFinished(RunFinish)
    /// A kind that this version does not know; readers skip it.
    case unknown(String)
  }

  /// Seconds since 1970.
  package var time: Double
  package var kind: Kind

  package init(time: Double, _ kind: Kind) {
    self.time = time
    self.kind = kind
  }
}

extension RunEvent: Codable {
  private enum CodingKeys: String, CodingKey { case time, kind, payload }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    func payload<T: Decodable>(_: T.Type = T.self) throws -> T {
      try container.decode(T.self, forKey: .payload)
    }
    time = try container.decode(Double.self, forKey: .time)
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
      case "runFinished": .runFinished(try payload())
      default: .unknown(name)
      }
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(time, forKey: .time)
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
    case .runFinished(let value): try write("runFinished", value)
    case .unknown(let name): try container.encode(name, forKey: .kind)
    }
  }
}
