package import RunModel
package import Workers

/// A test that runs now.
package struct RunningTest: Sendable, Hashable {
  package var test: TestID
  package var worker: Int
  /// Seconds since its start.
  package var seconds: Double
}

/// Is told what happens in a run, as it happens.
package protocol RunListener: AnyObject {
  /// An event was added to the log.
  ///
  /// - Parameter state: The run with the event applied.
  func runDid(_ event: RunEvent, state: RunState)
  /// A test has been running for longer than is usual.
  func testIsSlow(_ test: TestID, seconds: Double)
  /// A piece of the build's output.
  func buildDidPrint(_ bytes: UnsafeRawBufferPointer)
  /// Nothing is built, because what is there is the build that was asked for; see
  /// ``PackageConfiguration/reusesBuild``.
  func buildIsPresent()
  /// The process of a batch is about to be started.
  ///
  /// - Returns: What a person uses instead of it, with the caller's descriptors 0, 1 and 2; the run
  ///   ends with that, and nothing is said of its tests. `nil` for the process itself.
  func processWillStart(_ request: ProcessRequest, in container: Container) throws
    -> ProcessRequest?
}

extension RunListener {
  package func buildIsPresent() {}

  package func processWillStart(
    _ request: ProcessRequest, in container: Container
  ) throws -> ProcessRequest? { nil }
}
