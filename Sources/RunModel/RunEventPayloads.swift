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
  /// Why it is that level; `nil` in logs that do not say.
  package var isolationReason: String?
  /// What tests have of the network; `nil` in logs that do not say, and without a sandbox.
  package var network: String?
  /// Absolute paths that tests could write to in a sandbox, besides their container; `nil` for
  /// none.
  package var writable: [String]?
  /// Absolute paths of folders that tests seemed to write to in a sandbox, while what they wrote
  /// ended with the batch; `nil` for none.
  package var scratch: [String]?
  /// Paths of the user's home folder, relative to it, that tests saw in theirs in a sandbox; `nil`
  /// for none.
  package var home: [String]?
  /// The way that was asked for in which containers come to have the data of the seed intent:
  /// `overlay`, `reflink` or `copy`; `nil` when none was asked for, or no test needs such data. One
  /// that was found out is in each ``BatchStart``, its reason in the first of them.
  package var clone: String?
  /// Why it is that way; `nil` without one.
  package var cloneReason: String?
  /// Seed that fixture tokens are made from.
  package var seed: String
  /// The compiler's own one-line description.
  package var toolchain: String
  package var hostName: String
  /// Names of the caller's variables that reach the tests.
  package var passedVariables: [String]
  /// `debug` or `release`; `nil` in logs that do not say.
  package var buildConfiguration: String?
  /// Flags for `swift build` that the user gave; `nil` in logs that do not say.
  package var buildFlags: [String]?
  /// The text of the configuration that the run had; `nil` without one.
  package var configuration: String?
  /// What attempts may use, and how that is held; `nil` without limits.
  package var limits: RunLimits?
  /// The runs whose events the log has besides its own, by run ID; `nil` for none.
  package var sources: [RunSource]?
  /// The ID of the run that this one resumes; `nil` for a run of its own. A log with
  /// ``sources`` and without this is that of a merge.
  package var continues: String?
  /// The folder in which the command was given; `nil` in logs that do not say.
  package var folder: String?
  /// Where the toolchain was, why it was this one, and what is known of it; `nil` in logs that do
  /// not say, and when nothing was built.
  package var toolchainDetails: ToolchainRecord?
  /// The test executables; `nil` in logs that do not say, and when nothing was built.
  package var products: [BuiltProduct]?
  /// Cores that the run could use; `nil` in logs that do not say.
  package var processors: Int?
  /// The run archive that the tests are from; `nil` when they were built.
  package var archive: ArchiveReference?

  /// Whether the log was made from those of other runs alone.
  package var isMerge: Bool { sources != nil && continues == nil }

  package init(
    runID: String, carrel: String, packagePath: String, arguments: [String], workers: Int,
    batch: String, retries: Int, timeLimit: Double?, leaksFail: Bool, isolation: String,
    seed: String, toolchain: String, hostName: String, passedVariables: [String],
    buildConfiguration: String? = nil, buildFlags: [String]? = nil,
    configuration: String? = nil, isolationReason: String? = nil, network: String? = nil,
    writable: [String]? = nil, scratch: [String]? = nil, clone: String? = nil,
    cloneReason: String? = nil, limits: RunLimits? = nil
  ) {
    self.limits = limits
    self.scratch = scratch
    self.clone = clone
    self.cloneReason = cloneReason
    self.network = network
    self.writable = writable
    self.isolationReason = isolationReason
    self.configuration = configuration
    self.buildConfiguration = buildConfiguration
    self.buildFlags = buildFlags
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
  /// How the container came to have the data of a seed intent: `overlay`, `reflink` or `copy`;
  /// `nil` without such data.
  package var clone: String?
  /// Why it is that way, as a clause; in the first batch that has one nobody asked for, else `nil`.
  package var cloneReason: String?

  package init(
    batch: Int, worker: Int, purpose: AttemptPurpose, tests: [TestID], start: ProcessStart? = nil,
    clone: String? = nil, cloneReason: String? = nil
  ) {
    self.batch = batch
    self.worker = worker
    self.purpose = purpose
    self.tests = tests
    self.start = start
    self.clone = clone
    self.cloneReason = cloneReason
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

/// A batch whose process and leaked processes are gone.
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
  /// The most memory that Carrel itself had resident, in bytes.
  package var peakMemory: Int?
  /// Number of planned tests by the word of their verdict; `nil` in logs that do not say.
  package var verdicts: [String: Int]?

  package init(
    exitCode: Int32, duration: Double, interruptedBy: String? = nil,
    processorSeconds: Double? = nil, peakMemory: Int? = nil, verdicts: [String: Int]? = nil
  ) {
    self.verdicts = verdicts
    self.exitCode = exitCode
    self.duration = duration
    self.interruptedBy = interruptedBy
    self.processorSeconds = processorSeconds
    self.peakMemory = peakMemory
  }
}

/// A run whose events are in the log of another.
package struct RunSource: Codable, Hashable, Sendable {
  /// Without ``RunHeader/sources`` of its own.
  package var header: RunHeader
  /// Seconds since 1970.
  package var startedAt: Double
  /// The end, or the last event, in seconds since 1970.
  package var endedAt: Double
  /// `nil` when it did not come to its end.
  package var finish: RunFinish?

  package var runID: String { header.runID }

  package init(header: RunHeader, startedAt: Double, endedAt: Double, finish: RunFinish?) {
    self.header = header
    self.header.sources = nil
    self.startedAt = startedAt
    self.endedAt = endedAt
    self.finish = finish
  }
}

/// A result that does not count, because another of the merged runs has one for the same test.
package struct SetAsideResult: Codable, Hashable, Sendable {
  package var test: TestID
  /// The run that has it.
  package var run: String
  package var verdict: Verdict

  package init(test: TestID, run: String, verdict: Verdict) {
    self.test = test
    self.run = run
    self.verdict = verdict
  }
}

/// What tells one build of a test product from another.
package struct BuiltProduct: Codable, Hashable, Sendable {
  package var name: String
  /// Bytes of the executable.
  package var size: Int
  /// When it was written last, as seconds and nanoseconds since 1970: `1796019113.652944300`.
  package var modified: String

  package init(name: String, size: Int, modified: String) {
    self.name = name
    self.size = size
    self.modified = modified
  }
}
