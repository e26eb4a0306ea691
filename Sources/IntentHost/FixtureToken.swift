import Foundation

/// Names the fixture of the attempt that the process serves: the same for the same seed of a run
/// and the same test, so data made from it repeats.
public enum FixtureToken {
  /// `nil` outside of an attempt.
  public static let current = ProcessInfo.processInfo.environment["CARREL_FIXTURE_TOKEN"]
}
