package import RunModel
import SystemFiles

/// What tells one build of a test executable from another: the file, its size, and when its content
/// was changed last, in nanoseconds.
package struct ExecutableIdentity: Sendable, Hashable {
  private let file: FileIdentity
  private let size: Int
  private let modified: FileStamp.Time

  /// - Returns: `nil` when there is no such file.
  package init?(of path: String) {
    guard let stamp = FileStamp(path: path) else { return nil }
    file = stamp.identity
    size = stamp.size
    modified = stamp.modified
  }

  /// What a log says of a product; the file's place does not count.
  package func product(named name: String) -> BuiltProduct {
    BuiltProduct(name: name, size: size, modified: modified.fraction)
  }
}
