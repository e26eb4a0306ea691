import SystemFiles

/// An error of the run record, the failure bundle or an archive.
package struct EvidenceError: Error, Sendable {
  /// What went wrong, in a form that programs can rely on.
  package enum Code: String, Sendable, CaseIterable {
    /// No such run, bundle or entry.
    case notFound = "not-found"
    /// Several runs match a prefix.
    case ambiguous
    /// A file could not be read.
    case unreadable
    /// A file or folder could not be written: permissions, a full disk, a missing file system.
    case unwritable
    /// The format's major version is newer than what this version reads.
    case newerFormat = "newer-format"
    /// The file is not what it should be: no tar archive, no manifest, broken JSON.
    case malformed
    /// The file is something else than a failure bundle.
    case notABundle = "not-a-bundle"
    /// The file is something else than a run archive.
    case notAnArchive = "not-an-archive"
    /// Another version of Carrel has packed a run archive, and it cannot be run by this one.
    case otherVersion = "other-version"
    /// The archive ends before its end.
    case cutOff = "cut-off"
    /// A documented limit was reached; see ``BundleLimits``.
    case limit
    /// The folder to extract into exists and is not empty.
    case targetNotEmpty = "target-not-empty"
    /// Somebody asked for the end of the work.
    case stopped
    /// Something that a run archive is to hold cannot be read, or changes while it is packed.
    case notPackable = "not-packable"
    /// What was handed in to be packed contradicts the format.
    case invalidContents = "invalid-contents"
    /// The file is no toolchain manifest, or one of a newer format.
    case invalidManifest = "invalid-manifest"
    /// A pattern for secrets cannot be searched for.
    case invalidPattern = "invalid-pattern"
    /// There was no memory for the work.
    case outOfMemory = "out-of-memory"
  }

  package var code: Code
  /// One sentence without a full stop that names the file and says what happened.
  package var message: String
  /// Details by name, for example `path`, `entry`, `limit`.
  package var context: [String: String]
  /// The error below, if any.
  package var cause: (any Error)?

  package init(
    _ code: Code, _ message: String, context: [String: String] = [:], cause: (any Error)? = nil
  ) {
    self.code = code
    self.message = message
    self.context = context
    self.cause = cause
  }
}

extension EvidenceError: CustomStringConvertible {
  /// The message, followed by the cause when there is one.
  package var description: String {
    guard let cause else { return message }
    return "\(message): \(cause)"
  }
}

extension EvidenceError {
  /// An error of a system call on a path; ``context`` holds the path.
  static func system(
    _ code: Code, _ action: String, path: String, errno number: Int32
  ) -> EvidenceError {
    EvidenceError(
      code, "cannot \(action) '\(path)'", context: ["path": path], cause: SystemFailure(number))
  }
}

extension EvidenceError {
  /// What went wrong with a file or folder.
  init(_ error: FileError) {
    let code: Code =
      switch error.code {
      case .notFound: .notFound
      case .unreadable: .unreadable
      case .unwritable: .unwritable
      case .limit: .limit
      }
    self.init(code, error.message, context: error.context, cause: error.cause)
  }
}

extension EvidenceError {
  /// A file is something else than a bundle.
  ///
  /// - Parameter reason: A clause such as `it is a folder`; ``context`` holds it, too.
  static func notABundle(
    _ path: String, _ reason: String, code: Code = .notABundle
  ) -> EvidenceError {
    EvidenceError(
      code, "'\(ByteName(path).displayName)' is not a failure bundle (\(reason))",
      context: ["path": path, "reason": reason])
  }
}

extension EvidenceError {
  /// A pattern for secrets that cannot be searched for; ``context`` holds the reason, a clause.
  static func invalidPattern(_ reason: String) -> EvidenceError {
    EvidenceError(
      .invalidPattern, "the pattern is not possible: \(reason)", context: ["reason": reason])
  }

  /// The same about the pattern with an ID; ``context`` holds it as `pattern`.
  func naming(_ id: String) -> EvidenceError {
    let reason = context["reason"] ?? message
    return EvidenceError(
      code, "the pattern '\(id)' is not possible: \(reason)",
      context: context.merging(["pattern": id]) { $1 })
  }
}

/// Turns errors of files into those of this module.
func evidence<T>(_ body: () throws(FileError) -> T) throws(EvidenceError) -> T {
  do throws(FileError) { return try body() } catch { throw EvidenceError(error) }
}
