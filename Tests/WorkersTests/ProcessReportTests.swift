import Glibc
import RunModel
import SystemFiles
import TestSupport
import Testing

@testable import Workers

extension SupervisedProcessTests {
  /// Tree, threads and open files of a process and its descendants, also of one that has left.
  @Test func reportTellsTheWholeTree() throws {
    let loop = try EventLoop()
    var report: String?
    var isOver = false
    var started: SupervisedProcess?
    let script =
      "sleep 1253 & \(Self.untilItSleeps); (setsid sleep 1254 & \(Self.untilItSleeps)); "
      + "echo ready; wait"
    let process = try SupervisedProcess(
      ProcessRequest(
        executable: "/bin/sh", arguments: ["-c", script, "two\nlines"],
        environment: ["PATH": "/usr/bin:/bin"], directory: "/usr", scope: "report-1"),
      loop: loop, registry: try ProcessRegistry(ownsAllChildren: false), leakGrace: 0,
      onOutput: { _, _ in
        let text = ProcessReport()
        text.collect(
          roots: [(started?.pid ?? 0, "the test's process")], others: [], scope: "report-1")
        report = String(decoding: text.bytes, as: UTF8.self)
        started?.terminate(grace: 0)
      }, onEnd: { _, _ in isOver = true })
    started = process
    loop.run { isOver }
    let text = try #require(report)
    let lines = text.split(separator: "\n").map { String($0) }
    #expect(lines.first == "processes")
    #expect(lines[1].hasPrefix("  \(process.pid) /bin/sh -c "))
    #expect(lines[1].hasSuffix("two lines  (the test's process)"))
    #expect(lines.contains { $0.hasPrefix("    ") && $0.hasSuffix(" sleep 1253") })
    #expect(lines.contains { $0.hasSuffix(" sleep 1254") }, "\(text)")
    #expect(lines.contains("  folder /usr"))
    #expect(lines.contains { $0.hasPrefix("  thread \(process.pid) \"sh\": ") })
    #expect(lines.contains("  file 0 -> /dev/null"))
    #expect(lines.contains { $0.hasPrefix("  file 1 -> pipe:") })
  }

  /// Who keeps the end of a pipe from its reader; the writer of another pipe does not.
  @Test func holdersOfPipesAreNamed() throws {
    let loop = try EventLoop()
    var holders: [ProcessReport.PipeHolder] = []
    var own: String?
    var isOver = false
    var started: SupervisedProcess?
    let process = try SupervisedProcess(
      ProcessRequest(
        executable: "/bin/bash", arguments: ["-c", "exec 5< <(exec sleep 1255); echo ready; wait"],
        environment: ["PATH": "/usr/bin:/bin"], directory: "/usr", scope: "report-2"),
      loop: loop, registry: try ProcessRegistry(ownsAllChildren: false), leakGrace: 0,
      onOutput: { _, _ in
        let report = ProcessReport()
        report.collect(
          roots: [(started?.pid ?? 0, "the test's process")], others: [], scope: "report-2")
        holders = report.pipeHolders
        own = report.mainThread
        started?.terminate(grace: 0)
      }, onEnd: { _, _ in isOver = true })
    started = process
    loop.run { isOver }
    #expect(holders.map(\.what) == ["the pipe that the test reads as file 5"])
    #expect(own?.isEmpty == false)
  }

  /// One process of many has a text that stays small, and processes that are gone are no trouble.
  @Test func reportIsBounded() throws {
    let report = ProcessReport()
    report.collect(roots: [(getpid(), "this one"), (1 << 30, "none")], others: [-5], scope: "none")
    #expect(report.bytes.count > 100)
    for _ in 0..<2000 where report.bytes.count < ProcessReport.mostBytes - 4096 {
      report.collect(roots: [(getpid(), "this one")], others: [], scope: "none")
    }
    for _ in 0..<20 { report.collect(roots: [(getpid(), "")], others: [], scope: "none") }
    #expect(report.bytes.count <= ProcessReport.mostBytes + 64)
    #expect(String(decoding: report.bytes.suffix(31), as: UTF8.self).hasSuffix("is left out]\n"))
  }
}

@Suite struct SystemCallNameTests {
  @Test func callsAreNamed() {
    #if arch(x86_64)
      #expect(
        SystemCallName.text("202 0x1 0x2 0x3 0x4 0x5 0x6 0x7 0x8")
          == "futex(0x1, 0x2, 0x3, 0x4, 0x5, 0x6), at 0x8")
    #endif
    #expect(
      SystemCallName.text("9999 a b c d e f g h") == "system call 9999(a, b, c, d, e, f), at h")
    #expect(SystemCallName.text("running") == "running")
    #expect(SystemCallName.text("-1 0x1 0x2") == "-1 0x1 0x2")
    #expect(SystemCallName.text("") == "")
  }
}
