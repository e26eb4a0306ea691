import Synchronization

/// Names the fixture of the attempt that the process serves: the same for the same seed of a run and
/// the same test, so data made from it repeats.
public enum FixtureToken {
  private static let value = Mutex<String?>(nil)

  /// `nil` outside of an attempt.
  public static var current: String? {
    get { value.withLock { $0 } }
    set { value.withLock { $0 = newValue } }
  }
}
