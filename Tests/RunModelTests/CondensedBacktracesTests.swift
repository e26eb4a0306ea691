import RunModel
import Testing

@Suite struct CondensedBacktracesTests {
  private static let backtrace = """
    *** Signal 4: Backtracing from 0x7faf996f9361... done ***

    *** Program crashed: Illegal instruction at 0x00007faf996f9361 ***

    Platform: x86_64 Linux (Debian GNU/Linux 12 (bookworm))

    Thread 0 "NotesApp":

      0      0x00007faf97e81301 sigsuspend + 65 in libc.so.6
      1 [ra] 0x0000561652a6c8a6 NotesApp.wait() + 101 in NotesApp at \
    /p/Sources/NotesApp/App.swift:99:3
    ...

    Thread 4 "oot.default-qos" crashed:

      0                  0x00007faf996f9361 _assertionFailure(_:_:file:line:flags:) + 225 in \
    libswiftCore.so
      1 [ra]             0x0000561652a8d9ba closure #1 in Open.perform() + 105 in NotesApp at \
    /my notes at home/Sources/NotesApp/Open it.swift:8:64
      2 [async] [thunk]  0x0000561652a8da80 partial apply for closure #1 in Open.perform() in \
    NotesApp at //<compiler-generated>
      3 [async]          0x0000561652a8da80 HostCalls.answer(_:_:) in NotesApp at \
    /c/Sources/IntentHost/HostCalls.swift:17
      4 [async]          0x0000561652a8da99 Store.find(in:) in NotesApp at \
    /p/Sources/Kit/Store.swift:3
      5 [async] [system] 0x00007faf993cf310 completeTaskWithClosure in libswift_Concurrency.so
    ...

    Thread 5 "-qos.overcommit":

      0  0x00007faf97ecaf16 __futex_abstimed_wait_common + 198 in libc.so.6
    ...

    Backtrace took 0.03s


    """

  private static let places = """
    crashed in closure #1 in Open.perform() (NotesApp/Open it.swift:8)
      called by Store.find(in:) (Kit/Store.swift:3)
    """

  @Test func placesOfTheCrashedThreadStay() {
    let words = "starting\nNotesApp/Open it.swift:8: Fatal error: late\n\n"
    #expect(
      condensingBacktraces(in: words + Self.backtrace)
        == "starting\nNotesApp/Open it.swift:8: Fatal error: late\n" + Self.places)
  }

  @Test func textAfterABacktraceStays() {
    #expect(
      condensingBacktraces(in: "a\n" + Self.backtrace + "b\n" + Self.backtrace)
        == "a\n\(Self.places)\n\nb\n\(Self.places)")
  }

  @Test func partsOfABacktraceAreNoWords() throws {
    let middle = try #require(Self.backtrace.firstRange(of: "Thread 4"))
    #expect(condensingBacktraces(in: String(Self.backtrace[middle.lowerBound...])) == Self.places)
    #expect(condensingBacktraces(in: "x\n" + Self.backtrace[..<middle.lowerBound]) == "x")
    #expect(
      condensingBacktraces(
        in: "x\nswift-runtime: failed to suspend thread 6 while processing a crash\n"
          + Self.backtrace) == "x\n" + Self.places)
  }

  @Test(arguments: ["", "one\n\ntwo", "Thread 4 crashed:\n  0 0x12 f() in App at /a/b.swift:3"])
  func otherTextIsLeftAlone(text: String) {
    #expect(condensingBacktraces(in: text) == text)
  }

  @Test func onlyTheInnermostPlacesAreTold() {
    let frames = (0..<40).map { "  \($0) 0x1f f\($0)() + 1 in App at /a/App/b.swift:\($0 + 1):1\n" }
    let text = condensingBacktraces(
      in: "*** Program crashed: Bad pointer dereference at 0x0 ***\n\nThread 0 crashed:\n\n"
        + frames.joined() + "\nBacktrace took 0.1s\n")
    #expect(text.split(separator: "\n").count == 5)
    #expect(text.hasPrefix("crashed in f0() (App/b.swift:1)\n  called by f1() (App/b.swift:2)\n"))
  }
}
