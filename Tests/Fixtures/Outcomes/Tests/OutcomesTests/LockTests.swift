import Foundation
import Synchronization
import XCTest

/// Locks know their owner by the number of its thread, which a copied process has to learn anew.
final class LockXCTests: XCTestCase {
  private final class Box: Sendable {
    let seen = Mutex(0)
  }

  private final class Shared: Sendable {
    let count = Mutex(0)
    let other = Mutex("")
  }

  private static let isMaking = Mutex(false)
  private static let other = Mutex("")
  /// Made by one thread while another one waits for it.
  private static let lazy: Int = {
    isMaking.withLock { $0 = true }
    while !isAsleep(other.withLock { $0 }) { sched_yield() }
    return 1
  }()

  func testThreadsMeetAtALazyValue() {
    let ended = DispatchSemaphore(value: 0)
    let box = Box()
    Thread.detachNewThread {
      while !Self.isMaking.withLock({ $0 }) { sched_yield() }
      let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
      Self.other.withLock { $0 = own ?? "" }
      box.seen.withLock { $0 = Self.lazy }
      ended.signal()
    }
    XCTAssertEqual(Self.lazy, 1)
    ended.wait()
    XCTAssertEqual(box.seen.withLock { $0 }, 1)
  }

  func testThreadsMeetAtAMutex() throws {
    let shared = Shared()
    for _ in 0..<50 {
      let ended = DispatchSemaphore(value: 0)
      shared.other.withLock { $0 = "" }
      shared.count.withLock { count in
        Thread.detachNewThread {
          let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
          shared.other.withLock { $0 = own ?? "" }
          shared.count.withLock { $0 += 1 }
          ended.signal()
        }
        // The other thread waits for this one when it sleeps.
        while !Self.isAsleep(shared.other.withLock { $0 }) { sched_yield() }
        count += 1
      }
      ended.wait()
    }
    XCTAssertEqual(shared.count.withLock { $0 }, 100)
  }

  /// - Parameter thread: Its folder in `/proc`; empty before it runs.
  private static func isAsleep(_ thread: String) -> Bool {
    guard !thread.isEmpty,
      let state = try? String(contentsOfFile: "/proc/\(thread)/stat", encoding: .utf8)
    else { return false }
    return state.split(separator: ")").last?.hasPrefix(" S") ?? false
  }
}
