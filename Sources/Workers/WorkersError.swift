import Glibc
package import SystemFiles

/// What can go wrong with processes, containers and the event loop.
package struct WorkersError: Error, Sendable, CustomStringConvertible {
  /// Stable codes.
  package enum Code: String, Sendable, CaseIterable {
    /// A system call failed that only fails when the system is out of something.
    case system = "system-call-failed"
    /// A process could not be started.
    case launch = "launch-failed"
    /// Namespaces cannot be made, or not as they are needed.
    case sandbox = "no-sandbox"
    /// A container could not be made.
    case container = "container-failed"
    /// The limits of a batch could not be set up.
    case limits = "limits-failed"
    /// No folder for files that are kept between runs can be used.
    case noCache = "no-cache"
  }

  package var code: Code
  /// One sentence for people.
  package var message: String
  /// Details by name, for example `path`.
  package var context: [String: String]
  /// The error below, if any.
  package var cause: (any Error)?
  /// What to do about it, as the end of a sentence: `set CARREL_WORK_DIR`.
  package var advice: String?

  package init(
    _ code: Code, _ message: String, context: [String: String] = [:], cause: (any Error)? = nil,
    advice: String? = nil
  ) {
    self.code = code
    self.message = message
    self.context = context
    self.cause = cause
    let failure = cause as? SystemFailure
    let isOutOfDescriptors = failure?.number == EMFILE || failure?.number == ENFILE
    self.advice = isOutOfDescriptors ? Self.adviceForDescriptors : advice
  }

  /// What to do when there are no descriptors left, whatever was tried.
  static let adviceForDescriptors =
    "raise the limit of open files ('ulimit -n 4096') or use fewer workers"

  /// An error of a system call.
  package init(_ code: Code, _ message: String, errorNumber: Int32) {
    self.init(code, message, cause: errorNumber == 0 ? nil : SystemFailure(errorNumber))
  }

  /// What went wrong with a file or folder.
  package init(_ code: Code, _ error: FileError) {
    self.init(code, error.message, context: error.context, cause: error.cause)
  }

  /// The value of `errno`, 0 when there is none.
  package var errorNumber: Int32 { (cause as? SystemFailure)?.number ?? 0 }

  /// The message, followed by the cause and the advice when there are such.
  package var description: String {
    message + (cause.map { ": \($0)" } ?? "") + (advice.map { "; \($0)" } ?? "")
  }
}

/// Turns errors of files into errors of this module.
package func asWorkersError<T>(
  _ code: WorkersError.Code, _ body: () throws(FileError) -> T
) throws(WorkersError) -> T {
  do throws(FileError) { return try body() } catch { throw WorkersError(code, error) }
}
