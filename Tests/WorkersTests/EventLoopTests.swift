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
    #expect(loop.hasBackgroundWork)
    loop.run { !loop.hasBackgroundWork }
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
}
