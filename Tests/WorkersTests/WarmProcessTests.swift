import Glibc
import RunModel
import Testing

@testable import Workers

extension SupervisedProcessTests {
  /// A warm process that says it is ready and then nothing more, as one does that was stopped.
  ///
  /// - Parameter body: Called after it has been asked for a copy.
  /// - Returns: Whether there was a copy; `nil` when nobody told.
  private func askSilentProcess(
    replyLimit: Double, _ body: (WarmProcess) -> Void = { _ in }
  ) throws -> Bool? {
    let loop = try EventLoop()
    // The message "ready" with one thread and no open files; only the first byte of each number.
    let ready =
      (1...2).map { _ in "\\001\\000\\000\\000" }.joined()
      + (1...2).map { _ in "\\000\\000\\000\\000" }.joined()
    let request = ProcessRequest(
      executable: "/bin/sh",
      arguments: ["-c", "printf '\(ready)' >&3; while :; do sleep 1251; done"],
      environment: ["PATH": "/usr/bin:/bin"], scope: "silent")
    let process = try WarmProcess(
      request, limit: 60, replyLimit: replyLimit, loop: loop,
      registry: try ProcessRegistry(ownsAllChildren: false))
    var isReady = false
    process.whenReady { objection in
      #expect(objection == nil)
      isReady = true
    }
    loop.run { isReady }
    var answer: Bool?
    process.start(request, onOutput: { _, _ in }, onEnd: { _, _ in }) { answer = $0 != nil }
    #expect(answer == nil)
    body(process)
    loop.run { answer != nil && process.isGone }
    return answer
  }

  /// A batch's sandbox may end while it is joined; only when that happens again the process is to
  /// blame.
  @Test func copiesMayFailOnce() throws {
    let loop = try EventLoop()
    let one = "\\001\\000\\000\\000"
    let none = "\\000\\000\\000\\000"
    let failed = "\\002\\000\\000\\000\\377\\377\\377\\377" + none + none
    let request = ProcessRequest(
      executable: "/bin/sh",
      arguments: [
        "-c",
        "printf '\(one)\(one)\(none)\(none)' >&3; "
          + "while [ -n \"$(head -c 1 <&3 | tr '\\0' x)\" ]; do printf '\(failed)' >&3; done",
      ],
      environment: ["PATH": "/usr/bin:/bin"], scope: "failing")
    let process = try WarmProcess(
      request, limit: 60, loop: loop, registry: try ProcessRegistry(ownsAllChildren: false))
    var isReady = false
    process.whenReady { objection in
      #expect(objection == nil)
      isReady = true
    }
    loop.run { isReady }
    for isUsable in [true, false] {
      var hasCopy: Bool?
      process.start(request, onOutput: { _, _ in }, onEnd: { _, _ in }) { hasCopy = $0 != nil }
      loop.run { hasCopy != nil }
      #expect(hasCopy == false && process.isUsable == isUsable)
    }
    loop.run { process.isGone }
  }

  @Test func copyThatDoesNotComeIsNotWaitedFor() throws {
    #expect(try askSilentProcess(replyLimit: 0.05) == false)
  }

  @Test func copyThatDoesNotComeCanBeGivenUp() throws {
    #expect(try askSilentProcess(replyLimit: 1e6) { $0.stopWaiting() } == false)
  }
}
