import Glibc

/// Standard output or standard error.
///
/// A reader that went away (`carrel run | head`) does not end the command: the record matters more
/// than what is printed, so later writes are dropped.
final class Terminal {
  let descriptor: Int32
  let isTerminal: Bool
  private var isBroken = false
  private var hasProgress = false

  init(descriptor: Int32) {
    self.descriptor = descriptor
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
    var rest = bytes
    while !rest.isEmpty, !isBroken {
      let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
      if count > 0 {
        rest = UnsafeRawBufferPointer(rebasing: rest[count...])
      } else if errno == EAGAIN {
        var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&wait, 1, -1)
      } else if errno != EINTR {
        isBroken = true
      }
    }
  }

  /// Shows a line that the next output replaces; only on a terminal.
  func showProgress(_ line: String) {
    guard isTerminal else { return }
    write(Array("\r\u{1B}[K\(line)".utf8))
    hasProgress = true
  }

  func clearProgress() {
    guard hasProgress else { return }
    write(Array("\r\u{1B}[K".utf8))
    hasProgress = false
  }
}
