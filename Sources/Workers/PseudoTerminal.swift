import CSystem
import Glibc
import SystemFiles

/// A terminal of its own for a program that people use through Carrel's.
///
/// The program leads a session of its own, which cannot have Carrel's terminal as its controlling
/// one; so it gets one side of a pseudoterminal (pty(7)), and what comes out of each side is
/// written to the other. Carrel's terminal passes every key on meanwhile: Ctrl-C and Ctrl-Z are for
/// the program and its children.
package final class PseudoTerminal {
  /// What the program gets as its descriptors 0, 1 and 2.
  package let descriptor: Int32
  private let other: Int32
  private let loop: EventLoop
  private var before = termios()
  private var size = winsize()
  private var sizeTimer: EventLoop.Timer?
  /// Keys that the program has not taken yet.
  private var keys: [UInt8] = []
  private var isOpen = true
  private var readsKeys = false
  /// Whether there will be no more keys.
  private var isAtEnd = false
  /// Keys that may wait.
  private static let mostKeys = 1 << 16
  /// Seconds between looks at the size of Carrel's terminal.
  private static let sizeInterval = 0.2

  /// Whether Carrel itself is used on a terminal.
  package static var isWanted: Bool { isatty(0) == 1 && isatty(1) == 1 }

  /// Makes the terminal, and lets Carrel's pass on every key until ``close()``.
  ///
  /// - Throws: ``WorkersError`` with code `launch` when the system has none.
  package init(loop: EventLoop) throws(WorkersError) {
    var program: Int32 = -1
    other = carrel_pseudo_terminal(&program)
    guard other >= 0, tcgetattr(0, &before) == 0 else {
      let number = errno
      if other >= 0 {
        Glibc.close(other)
        Glibc.close(program)
      }
      throw WorkersError(
        .launch, "cannot make a terminal for the program", errorNumber: number)
    }
    descriptor = program
    self.loop = loop
    _ = tcsetattr(descriptor, TCSANOW, &before)
    copySize()
    var raw = before
    cfmakeraw(&raw)
    _ = tcsetattr(0, TCSANOW, &raw)
    loop.watch(other) { [unowned self] in copyOutput() }
    watchKeys()
    watchSize()
  }

  /// Writes what is left of the program's output, and gives Carrel's terminal back; later calls do
  /// nothing.
  package func close() {
    guard isOpen else { return }
    isOpen = false
    copyOutput()
    loop.cancel(sizeTimer)
    loop.unwatch(other)
    if readsKeys { loop.unwatch(0) }
    Glibc.close(other)
    Glibc.close(descriptor)
    _ = tcsetattr(0, TCSADRAIN, &before)
  }

  deinit { close() }

  private func watchSize() {
    sizeTimer = loop.after(Self.sizeInterval) { [weak self] in
      self?.copySize()
      self?.watchSize()
    }
  }

  private func copySize() {
    var now = winsize()
    guard ioctl(1, UInt(TIOCGWINSZ), &now) == 0,
      now.ws_col != size.ws_col || now.ws_row != size.ws_row
    else { return }
    size = now
    _ = ioctl(other, UInt(TIOCSWINSZ), &now)
  }

  private func copyOutput() {
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while true {
      let count = read(other, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return }
      // Who closes the terminal ends the program, too.
      guard (try? writeAll(Array(buffer[..<count]), to: 1)) != nil else { return }
    }
  }

  private func watchKeys() {
    readsKeys = true
    loop.watch(0) { [unowned self] in takeKeys() }
  }

  private func takeKeys() {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = read(0, &buffer, buffer.count)
    guard count > 0 else {
      if count < 0, errno == EINTR || errno == EAGAIN { return }
      (readsKeys, isAtEnd) = (false, true)
      return loop.unwatch(0)
    }
    keys += buffer[..<count]
    passKeys()
    if keys.count > Self.mostKeys {
      readsKeys = false
      loop.unwatch(0)
    }
  }

  private func passKeys() {
    while !keys.isEmpty {
      let count = write(other, keys, keys.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      keys.removeFirst(count)
    }
    let events = keys.isEmpty ? Int16(POLLIN) : Int16(POLLIN | POLLOUT)
    loop.watch(other, for: events) { [unowned self] in
      copyOutput()
      if !keys.isEmpty { passKeys() }
      if !readsKeys, !isAtEnd, keys.isEmpty { watchKeys() }
    }
  }
}
