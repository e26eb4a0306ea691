import Testing

@testable import RunEngine

/// What is taken out of the stacks of a test that hangs.
@Suite struct HangSummaryTests {
  private let stacks = """
    [Thread debugging using libthread_db enabled]
    0x00007f in __futex () from /lib/libc.so.6

    Thread 2 (Thread 0x7f11 (LWP 12) "worker"):
    #0  __futex_wait (a=0x1, b=2) at ./nptl/futex.c:57
    #1  0x00007f22 in _dispatch_worker () from /lib/libdispatch.so

    Thread 1 (Thread 0x7f12 (LWP 11) "tests"):
    #0  0x00007f00 in __GI___clock_nanosleep (clock_id=0, req=0x7ff) at ../x/clock_nanosleep.c:78
    #1  0x00007f01 in usleep (n=1) at ../sysdeps/usleep.c:31
    #2  0x00005500 in M.Store.wait(for: Swift.Int) throws -> () (self=1) at /src/a b/Store.swift:9
    #3  0x00005501 in closure #1 () -> () in M.C.testHangs() -> () () at /src/a b/C.swift:5
    #4  0x00005502 in M.C.testHangs() -> () (self=0x1) at /src/a b/C.swift:4
    #5  0x00005503 in main () at /src/main.swift:1
    [Inferior 1 (process 11) detached]
    """

  @Test func theTestsOwnThreadIsShown() throws {
    #expect(HangSummary.threads(in: stacks).map(\.frames.count) == [2, 6])
    let lines = try #require(HangSummary.lines(ofTest: "testHangs", in: stacks))
    #expect(
      lines == [
        "#0 __GI___clock_nanosleep", "#1 usleep",
        "#2 M.Store.wait(for: Swift.Int) throws -> () at /src/a b/Store.swift:9",
        "#3 closure #1 () -> () in M.C.testHangs() -> () at /src/a b/C.swift:5",
        "#4 M.C.testHangs() -> () at /src/a b/C.swift:4",
      ])
    #expect(HangSummary.lines(ofTest: "testHang", in: stacks) == nil)
    #expect(HangSummary.lines(ofTest: "testHangs", in: "no stacks") == nil)
  }

  /// Of a deep stack the top and the test's own frame.
  @Test func aDeepStackIsShort() throws {
    var text = "Thread 1 (LWP 1):\n"
    for number in 0..<40 { text += "#\(number)  0x1 in f\(number) () at /a.swift:\(number)\n" }
    text += "#40  0x1 in M.test() () at /a.swift:99\n#41  0x1 in main ()\n"
    let lines = try #require(HangSummary.lines(ofTest: "test", in: text))
    #expect(
      lines == [
        "#0 f0 at /a.swift:0", "#1 f1 at /a.swift:1", "#2 f2 at /a.swift:2", "… 37 more …",
        "#40 M.test() at /a.swift:99",
      ])
  }
}
