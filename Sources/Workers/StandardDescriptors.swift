import CSystem

/// The descriptors 0, 1 and 2, which a program may be started without.
package struct StandardDescriptors: Sendable {
  private let closed: Int32

  /// Opens `/dev/null` in place of those that are closed, so that no other file gets the number of
  /// standard output and is written to as such. To be done before anything else is opened.
  package static func fill() -> StandardDescriptors {
    StandardDescriptors(closed: carrel_fill_standard_descriptors())
  }

  /// Whether the program was started without this one.
  package func wasClosed(_ descriptor: Int32) -> Bool { closed & (1 << descriptor) != 0 }
}
