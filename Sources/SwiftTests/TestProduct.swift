/// A built test executable.
package struct TestProduct: Sendable, Hashable {
  /// The name SwiftPM gives it.
  package var name: String
  /// Absolute path.
  package var executable: String

  package init(name: String, executable: String) {
    self.name = name
    self.executable = executable
  }
}
