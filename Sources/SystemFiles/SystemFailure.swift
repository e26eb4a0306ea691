import Glibc

/// The reason that the system gave for refusing a call.
package struct SystemFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The number, for example `ENOSPC`; see errno(3).
  package var number: Int32

  package init(_ number: Int32) { self.number = number }

  /// The system's sentence, for example `No space left on device`.
  package var description: String {
    strerror(number).map { String(cString: $0) } ?? "error \(number)"
  }
}

/// The system's text for an error number.
package func errorText(_ number: Int32) -> String { SystemFailure(number).description }

/// Repeats a system call while a signal interrupts it; returns its result or throws the reason.
@discardableResult
package func retrying<T: BinaryInteger>(_ call: () -> T) throws(SystemFailure) -> T {
  while true {
    let result = call()
    if result != -1 { return result }
    let number = errno
    if number != EINTR { throw SystemFailure(number) }
  }
}
