package import RunModel

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
}
