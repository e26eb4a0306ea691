import Glibc
import IntentWire
import Workers

/// A connection of the intent system, read and written by its loop; never blocks.
final class Peer {
  /// Who is at the other end, once it has said so.
  enum Role {
    case unknown
    case test
    case host(AppSlot)
  }

  /// Bytes that may wait to be sent; a peer that does not read is cut off beyond that.
  private static let maximumBacklog = 64 << 20

  var role = Role.unknown
  private let descriptor: Int32
  private let loop: EventLoop
  private var framer = LineFramer()
  private var backlog: [UInt8] = []
  private var sent = 0
  /// Whether the loop tells when there is room to send.
  private var isWaitingForRoom = false
  private var bytesRead = 0
  private var isOpen = true
  private let onMessage: (Peer, Result<WireMessage, WireError>) -> Void
  private let onClose: (Peer) -> Void

  init(
    descriptor: Int32, loop: EventLoop,
    onMessage: @escaping (Peer, Result<WireMessage, WireError>) -> Void,
    onClose: @escaping (Peer) -> Void
  ) {
    self.descriptor = descriptor
    self.loop = loop
    self.onMessage = onMessage
    self.onClose = onClose
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    watch()
  }

  func send(_ message: WireMessage) {
    guard isOpen else { return }
    backlog += message.line
    flush()
    guard backlog.count - sent <= Self.maximumBacklog else { return close() }
  }

  func close() {
    guard isOpen else { return }
    isOpen = false
    loop.unwatch(descriptor)
    Glibc.close(descriptor)
    onClose(self)
  }

  private func watch() {
    isWaitingForRoom = !backlog.isEmpty
    let wants = isWaitingForRoom ? Int16(POLLIN | POLLOUT) : Int16(POLLIN)
    loop.watch(descriptor, for: wants) { [self] in
      if !backlog.isEmpty { flush() }
      if isOpen { readSome() }
    }
  }

  /// Reads and hands on what has arrived already: the other side may be gone.
  func drain() {
    var before = -1
    while isOpen, bytesRead != before {
      before = bytesRead
      readSome()
    }
  }

  private func flush() {
    while sent < backlog.count {
      let count = backlog[sent...].withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count < 0 && errno == EINTR { continue }
      if count < 0 && errno == EAGAIN { break }
      // The end is seen by reading; what was sent before it is read first.
      guard count > 0 else {
        sent = backlog.count
        break
      }
      sent += count
    }
    if sent == backlog.count {
      backlog = []
      sent = 0
    }
    if isOpen, isWaitingForRoom == backlog.isEmpty { watch() }
  }

  private func readSome() {
    withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 16) { buffer in
      let count = read(descriptor, buffer.baseAddress, buffer.count)
      guard count > 0 else {
        if count == 0 || (errno != EAGAIN && errno != EINTR) { close() }
        return
      }
      bytesRead += count
      framer.feed(UnsafeRawBufferPointer(rebasing: buffer[..<count])) { line in
        guard isOpen else { return }
        guard let line else {
          onMessage(
            self,
            .failure(
              WireError(
                .invalidRequest, "a message is longer than \(WireMessage.maximumLength) bytes")))
          return
        }
        do throws(WireError) {
          onMessage(self, .success(try WireMessage(line: line)))
        } catch {
          onMessage(self, .failure(error))
        }
      }
    }
  }
}
