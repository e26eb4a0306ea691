public import Foundation

/// A file that goes to an intent or comes from it, by its content: tests and apps have no folder in
/// common.
public struct IntentFile: Hashable, Sendable {
  public var filename: String
  public var data: Data

  /// - Parameter filename: A name without a folder.
  public init(data: Data, filename: String) {
    self.data = data
    self.filename = filename
  }

  /// Reads a file.
  ///
  /// - Parameters:
  ///   - filename: A name without a folder; that of the file when it is `nil`.
  /// - Throws: What Foundation throws for a file that cannot be read.
  public init(fileURL: URL, filename: String? = nil) throws {
    self.init(
      data: try Data(contentsOf: fileURL), filename: filename ?? fileURL.lastPathComponent)
  }
}
