import Glibc
import TestSupport
import Testing
import Workers

@Suite struct EventLoopTests {
  @Test func timersFireInTheOrderOfTheirTimes() throws {
    let loop = try EventLoop()
    var fired: [Int] = []
    // Later times are set first, and hours apart: a pause of this thread does not swap them.
    loop.after(3600) { fired.append(4) }
    loop.after(0.001) { fired.append(3) }
    loop.after(-3600) { fired.append(2) }
    let cancelled = loop.after(-7200) { fired.append(99) }
    loop.after(-10_800) { fired.append(1) }
    loop.cancel(cancelled)
    loop.run { fired.count == 3 }
    #expect(fired == [1, 2, 3])
  }

  @Test func timersOfOneMomentFireInTheOrderTheyWereSet() throws {
    let loop = try EventLoop()
    var fired: [Int] = []
    for number in 0..<20 { loop.after(0) { fired.append(number) } }
    loop.run { fired.count == 20 }
    #expect(fired == Array(0..<20))
  }

  @Test func backgroundWorkComesBackOnTheLoopsThread() throws {
    let loop = try EventLoop()
    let thread = pthread_self()
    var results: Set<Int> = []
    for number in 0..<50 {
      loop.inBackground({ number * number }) { result in
        #expect(pthread_equal(pthread_self(), thread) != 0)
        results.insert(result)
      }
    }
    #expect(results.isEmpty)
    loop.run { results.count == 50 }
    #expect(results == Set((0..<50).map { $0 * $0 }))
  }

  @Test func descriptorsAreWatchedUntilUnwatched() throws {
    let loop = try EventLoop()
    let pipe = try Pipe()
    var seen = 0
    loop.watch(pipe.reader) {
      var byte: UInt8 = 0
      seen += read(pipe.reader, &byte, 1)
      if seen == 2 { loop.unwatch(pipe.reader) }
    }
    #expect(write(pipe.writer, "abc", 3) == 3)
    var isOver = false
    loop.run { seen == 2 }
    loop.after(0) { isOver = true }
    loop.run { isOver }
    #expect(seen == 2)
    close(pipe.reader)
    close(pipe.writer)
  }

  /// What came while a handler was busy is read before anybody's time is over.
  @Test func whatIsReadyComesBeforeTimersThatRanOutMeanwhile() throws {
    var time = 1000.0
    let loop = try EventLoop(clock: { time })
    let (first, second) = (try Pipe(), try Pipe())
    defer { for pipe in [first, second] { closeBoth(pipe) } }
    var seen: [String] = []
    loop.after(0.01) { seen.append("timer") }
    loop.watch(first.reader) {
      loop.unwatch(first.reader)
      seen.append("first")
      #expect(write(second.writer, "x", 1) == 1)
      time += 0.02
    }
    loop.watch(second.reader) {
      loop.unwatch(second.reader)
      seen.append("second")
    }
    #expect(write(first.writer, "x", 1) == 1)
    loop.run { seen.count == 3 }
    #expect(seen == ["first", "second", "timer"])
  }

  /// A process that could not go on because nobody read its output gets time to do so.
  @Test func timersWaitAfterAnAbsence() throws {
    var time = 1000.0
    let loop = try EventLoop(clock: { time })
    let (first, second) = (try Pipe(), try Pipe())
    defer { for pipe in [first, second] { closeBoth(pipe) } }
    var seen: [String] = []
    loop.after(3) { seen.append("over") }
    loop.after(2) { seen.append("earlier") }
    loop.watch(first.reader) {
      seen.append("first")
      if seen.count == 1 {
        // The loop's thread was stopped.
        time += 5
      } else {
        // Only now goes on who waited.
        loop.unwatch(first.reader)
        #expect(write(second.writer, "x", 1) == 1)
      }
    }
    loop.watch(second.reader) {
      loop.unwatch(second.reader)
      seen.append("second")
      time += 1.001
    }
    #expect(write(first.writer, "x", 1) == 1)
    loop.run { seen.count == 5 }
    #expect(seen == ["first", "first", "second", "earlier", "over"])
  }

  /// However often it is absent.
  @Test func aTimerWaitsOnlyOnce() throws {
    var time = 1000.0
    let loop = try EventLoop(clock: { time })
    let pipe = try Pipe()
    defer { closeBoth(pipe) }
    var rounds = 0
    var isOver = false
    loop.after(3) { isOver = true }
    loop.watch(pipe.reader) {
      rounds += 1
      time += 5
    }
    #expect(write(pipe.writer, "x", 1) == 1)
    loop.run { isOver }
    #expect(rounds == 2 || rounds == 3)
  }

  private func closeBoth(_ pipe: Pipe) {
    close(pipe.reader)
    close(pipe.writer)
  }
}
