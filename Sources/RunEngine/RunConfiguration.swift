package import Evidence
package import Orchestration
package import RunModel
package import SwiftTests
package import Workers

/// Where the tests come from.
package struct PackageConfiguration: Sendable {
  package var location: BuildLocation
  /// Flags for `swift build`.
  package var buildFlags: [String]
  package var skipsBuild: Bool
  /// Seconds that listing one product's tests may take.
  package var listingLimit: Double
  /// The caller's environment.
  package var environment: [String: String]
  /// Names of the caller's variables that tests get besides the usual ones.
  package var passedVariables: [String]

  package init(
    location: BuildLocation, buildFlags: [String] = [], skipsBuild: Bool = false,
    listingLimit: Double = 60, environment: [String: String], passedVariables: [String] = []
  ) {
    self.location = location
    self.buildFlags = buildFlags
    self.skipsBuild = skipsBuild
    self.listingLimit = listingLimit
    self.environment = environment
    self.passedVariables = passedVariables
  }
}

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
  /// Version of Carrel.
  package var carrel: String
  /// The command line, without the executable.
  package var arguments: [String]
  /// Puts files into each batch's container before its process starts.
  package var prepareContainer: (@Sendable (Container) throws -> Void)?

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

/// A test that runs now.
package struct RunningTest: Sendable, Hashable {
  package var test: TestID
  package var worker: Int
  /// Seconds since its start.
  package var seconds: Double
}

/// Is told what happens in a run, as it happens.
package protocol RunListener: AnyObject {
  /// An event was written to the log.
  ///
  /// - Parameter state: The run with the event applied.
  func runDid(_ event: RunEvent, state: RunState)
  /// A test has been running for longer than is usual.
  func testIsSlow(_ test: TestID, seconds: Double)
  /// A piece of the build's output.
  func buildDidPrint(_ bytes: UnsafeRawBufferPointer)
}
