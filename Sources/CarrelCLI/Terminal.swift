import Glibc

/// Standard output or standard error.
///
/// A reader that went away (`carrel run | head`) does not end the command: the record matters more
/// than what is printed, so later writes are dropped.
final class Terminal {
  let descriptor: Int32
  let isTerminal: Bool
  private let isClosed: Bool
  private var ownFailure: Int32?
  private var hasProgress = false
  /// Writes in place of the caller's thread.
  var queue: OutputQueue?

  /// - Parameter isClosed: Whether the caller gave the program no such descriptor.
  init(descriptor: Int32, isClosed: Bool = false) {
    self.descriptor = descriptor
    self.isClosed = isClosed
    isTerminal = isatty(descriptor) == 1
  }

  /// Whether colours are wanted: on a terminal that knows them, unless `NO_COLOR` is set
  /// (no-color.org).
  func wantsColor(_ environment: [String: String]) -> Bool {
    isTerminal && environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
  }

  /// Width in columns; 80 when unknown.
  var width: Int {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }

  func print(_ text: String) {
    clearProgress()
    write(Array((text + "\n").utf8))
  }

  func write(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { write($0) }
  }

  func write(_ bytes: UnsafeRawBufferPointer) {
    guard !bytes.isEmpty else { return }
    if isClosed {
      ownFailure = EBADF
    } else if let queue {
      queue.put(bytes, to: descriptor)
    } else if ownFailure == nil {
      ownFailure = writeFully(bytes, to: descriptor)
    }
  }

  /// Waits until everything is written.
  ///
  /// - Returns: The value of `errno` when something was not.
  func flush() -> Int32? {
    queue?.flush()
    return ownFailure ?? queue?.failure(of: descriptor)
  }

  /// Shows a line that the next output replaces; only on a terminal that keeps up.
  func showProgress(_ line: String) {
    guard isTerminal, queue?.isEmpty ?? true else { return }
    write(Array("\r\u{1B}[K\(line)".utf8))
    hasProgress = true
  }

  func clearProgress() {
    guard hasProgress else { return }
    write(Array("\r\u{1B}[K".utf8))
    hasProgress = false
  }
}
