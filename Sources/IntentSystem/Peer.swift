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
  /// Bytes of the first line, before anybody knows who speaks.
  private static let maximumHello = 64 << 10
  /// Bytes that were sent and are still kept.
  private static let maximumSent = 1 << 20

  var role = Role.unknown
  private let descriptor: Int32
  private let loop: EventLoop
  private var framer = LineFramer(limit: Peer.maximumHello)
  private var backlog: [UInt8] = []
  private var sent = 0
  /// Whether the loop tells when there is room to send.
  private var isWaitingForRoom = false
  private var bytesRead = 0
  private var isOpen = true
  /// Bytes of the line that is being handed on.
  private(set) var lineLength = 0
  /// Bytes of a line that has begun and not ended, when something was read last.
  private var unfinished = 0
  /// Bytes that are kept for the other side: an unfinished line, and what waits to be sent.
  var buffered: Int { unfinished + backlog.count - sent }
  /// Says whether all connections together keep too much.
  private let isTooMuch: () -> Bool
  private let onMessage: (Peer, Result<WireMessage, WireError>) -> Void
  private let onClose: (Peer) -> Void

  init(
    descriptor: Int32, loop: EventLoop, isTooMuch: @escaping () -> Bool,
    onMessage: @escaping (Peer, Result<WireMessage, WireError>) -> Void,
    onClose: @escaping (Peer) -> Void
  ) {
    self.descriptor = descriptor
    self.loop = loop
    self.isTooMuch = isTooMuch
    self.onMessage = onMessage
    self.onClose = onClose
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    watch()
  }

  /// Sends a message.
  ///
  /// - Parameter what: What it is, for people: `call of 'x'`.
  /// - Returns: Why it was not sent: it is too long for the other side.
  @discardableResult
  func send(_ message: WireMessage, _ what: @autoclosure () -> String = "message") -> WireError? {
    guard isOpen else { return nil }
    let line = message.line
    if let refusal = WireMessage.refusal(of: line, what()) { return refusal }
    backlog += line
    flush()
    if backlog.count - sent > Self.maximumBacklog || isOverTotal { close() }
    return nil
  }

  /// Small amounts are kept for whoever comes: their number is limited.
  private var isOverTotal: Bool { buffered > Self.maximumHello && isTooMuch() }

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
  ///
  /// Somebody else may go on writing without an end; that is not read.
  func drain() {
    var waiting: Int32 = 0
    guard isOpen, ioctl(descriptor, UInt(FIONREAD), &waiting) == 0 else { return }
    let end = bytesRead + Int(waiting)
    var before = -1
    while isOpen, bytesRead < end, bytesRead != before {
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
    } else if sent > Self.maximumSent, sent > backlog.count / 2 {
      backlog.removeFirst(sent)
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
      let limit = framer.limit
      framer.feed(UnsafeRawBufferPointer(rebasing: buffer[..<count])) { line in
        guard isOpen else { return }
        guard let line else {
          onMessage(
            self,
            .failure(WireError(.invalidRequest, "a message is longer than \(limit) bytes")))
          return
        }
        lineLength = line.count
        do throws(WireError) {
          onMessage(self, .success(try WireMessage(line: line)))
        } catch {
          onMessage(self, .failure(error))
        }
      }
      unfinished = framer.pendingCount
      if case .unknown = role {} else { framer.limit = WireMessage.maximumLength }
      if isOpen, isOverTotal {
        onMessage(
          self,
          .failure(
            WireError(
              .invalidRequest,
              "the connections of this system keep more than \(IntentSystem.maximumBuffered) bytes"
            )))
      }
    }
  }
}
