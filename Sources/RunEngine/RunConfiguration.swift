package import Evidence
package import Orchestration
package import RunModel
package import Workers

/// How the tests are run.
package struct RunConfiguration: Sendable {
  package var scheduling: SchedulerOptions
  /// Seconds that a test may take; `nil` for no limit.
  package var timeLimit: Double?
  /// Seconds between asking a process to end and killing it.
  package var grace: Double
  /// Seconds after which a running test is reported as slow.
  package var slowAfter: Double
  package var compression: BundleCompression
  package var start: StartPolicy
  package var seed: String
  package var intents = IntentOptions()
  package var isolation = IsolationRequest()
  package var limits = ResourceLimits()
  /// The mask of permissions that new files of tests and apps do not get (umask(2)); `nil` for that
  /// of this process.
  package var fileMask: UInt32?
  package var redaction = RedactionOptions()
  /// The text of the package's configuration; `nil` without one.
  package var text: String?
  /// Version of Carrel.
  package var carrel: String
  /// The command line, without the executable.
  package var arguments: [String]
  /// Absolute path of the folder in which the command was given, which a resumed run reads relative
  /// paths of its options from; `nil` when there is no such command line.
  package var folder: String?
  /// What batches say of their place in a run; `nil` for what it is.
  package var place: RecordedPlace?
  /// Puts files into each batch's container before its process starts.
  package var prepareContainer: (@Sendable (Container) throws -> Void)?

  /// Whether containers have the data of a seed intent that is called once.
  var sharesSeed: Bool { prepareContainer == nil && intents.seed?.isShared == true }

  package init(
    scheduling: SchedulerOptions, timeLimit: Double?, grace: Double = 2, slowAfter: Double = 60,
    compression: BundleCompression = .zstd, start: StartPolicy = .cold, seed: String,
    carrel: String, arguments: [String]
  ) {
    self.scheduling = scheduling
    self.timeLimit = timeLimit
    self.grace = grace
    self.slowAfter = slowAfter
    self.compression = compression
    self.start = start
    self.seed = seed
    self.carrel = carrel
    self.arguments = arguments
  }
}
