import Evidence
import FoundationEssentials
import Glibc
import RunModel
import SwiftTests
import SystemFiles
import TestSupport
import Testing
import Workers

@testable import RunEngine

extension RunsProcesses {
  /// Runs under limits.
  @Suite struct RunLimitTests {
    /// A command that takes 256 MiB and more.
    private static let takesMemory =
      "awk 'BEGIN { x = \"aaaaaaaa\"; while (length(x) < 250000000) x = x x }'"

    private func text(_ bundle: BundleReader?) throws -> String {
      String(decoding: try #require(bundle).read(BundlePaths.hang), as: UTF8.self)
    }

    /// Only the silent test is ended, and its bundle says what it did.
    @Test func silentTestIsEnded() async throws {
      let package = try FakePackage([
        "M.A/test1": "echo one", "M.A/test2Silent": "echo before; while :; do sleep 1255; done",
        "M.A/test3": "echo three",
      ])
      let outcome = try await SessionOutcome.run(package) { $0.limits.silence = 1 }
      #expect(outcome.verdicts == [.passed, .timedOut, .passed])
      let test = outcome.state.tests[1]
      #expect(test.decisive?.reason == "no output for 1 s")
      let text = try text(outcome.bundle(test))
      #expect(text.hasPrefix("what ran when it was ended: no output for 1 s\ntest \(test.id)\n"))
      #expect(text.contains("sleep 1255\n"))
      #expect(text.contains("\nthe end of standard output\nbefore\n"), "\(text)")
      #expect(outcome.state.problems == [])
    }

    /// A test that hangs beyond its limit is described, with what it has started; one that fails
    /// by itself is not.
    @Test func hangingTestIsDescribed() async throws {
      let package = try FakePackage([
        "M.A/test1Hangs": """
        (trap '' TERM; while :; do sleep 1256; done) & while :; do sleep 1257; done
        """, "M.A/test2Fails": "fail 'no'",
      ])
      let outcome = try await SessionOutcome.run(package, timeLimit: 2) { $0.grace = 0.1 }
      #expect(outcome.verdicts == [.timedOut, .failed])
      let text = try text(outcome.bundle(outcome.state.tests[0]))
      #expect(text.contains("the limit of 2 s was exceeded"))
      #expect(text.contains("sleep 1256\n") && text.contains("sleep 1257\n"), "\(text)")
      #expect(text.contains("  (the test's process)\n"))
      #expect(
        throws: (any Error).self, "a test that failed by itself has no snapshot"
      ) { try #require(outcome.bundle(outcome.state.tests[1])).read(BundlePaths.hang) }
    }

    /// Where gdb is missing the snapshot says so, and the test is ended all the same.
    @Test func debuggerIsLookedForOnThePath() throws {
      let folder = try TemporaryFolder()
      #expect(RunSession.findDebugger(path: nil) == nil)
      #expect(RunSession.findDebugger(path: "/nowhere:\(folder.path)") == nil)
      try writeSmallFile(folder.path(of: "gdb"), [], mode: 0o755)
      #expect(
        RunSession.findDebugger(path: "gdb:/nowhere:\(folder.path)") == folder.path(of: "gdb"))
    }

    @Test func largeFileAndFullContainerAreNamed() async throws {
      let package = try FakePackage([
        "M.A/test1Large": "exec head -c 100000 /dev/zero >\"$HOME/large\"",
        "M.A/test2Many": """
        n=0; while :; do head -c 50000 /dev/zero >"$TMPDIR/$n" || sleep 1258; n=$((n + 1)); done
        """, "M.A/test3": ":",
      ])
      let outcome = try await SessionOutcome.run(package) {
        $0.limits.disk = 65536
        $0.grace = 0
      }
      #expect(outcome.verdicts == [.crashed, .crashed, .passed])
      let reasons = outcome.state.tests.map { $0.decisive?.reason ?? "" }
      #expect(reasons[0] == "killed: the disk limit of 64 KiB for a file was exceeded (SIGXFSZ)")
      #expect(
        reasons[1].hasPrefix(
          "killed: the disk limit of 64 KiB was exceeded: the files in the container take "),
        "\(reasons[1])")
    }

    /// SIGKILL alone is no proof of anything.
    @Test func killWithoutProofIsNotChargedToTheLimit() async throws {
      let package = try FakePackage(["M.A/test1": "kill -KILL $$"])
      let outcome = try await SessionOutcome.run(package) { $0.limits.memory = 1 << 30 }
      #expect(outcome.verdicts == [.crashed])
      #expect(outcome.state.tests[0].decisive?.reason?.contains("memory") == false)
    }

    @Test(.enabled(if: canMakeControlGroups, "no control groups can be made here"))
    func killForMemoryIsNamed() async throws {
      let package = try FakePackage([
        "M.A/test1": ":", "M.A/test2Takes": "exec \(Self.takesMemory)",
        "M.A/test3Child": "\(Self.takesMemory) || fail 'the child is gone'",
        "M.A/test4Forks": "sleep 1259 & sleep 1259 & sleep 1259 & sleep 1259 & sleep 1259 &",
        "M.A/test5": ":",
      ])
      let outcome = try await SessionOutcome.run(package) {
        $0.limits = ResourceLimits(memory: 64 << 20, processes: 4)
      }
      #expect(outcome.verdicts == [.passed, .crashed, .failed, .crashed, .passed])
      let reasons = outcome.state.tests.map { $0.decisive?.reason ?? "" }
      #expect(reasons[1] == "killed: the memory limit of 64 MiB was exceeded (cgroup)")
      #expect(
        reasons[2]
          == "the kernel killed a process of the batch for the memory limit of 64 MiB (cgroup)")
      #expect(
        reasons[3].hasSuffix(
          "the kernel refused a process or thread of the batch for the limit of 4 (cgroup)"),
        "\(reasons[3])")
      #expect(outcome.state.problems == [])
    }

    /// What the limits cannot do is said once.
    @Test func weaknessIsAWarning() async throws {
      let package = try FakePackage(["M.A/test1": ":"])
      let outcome = try await SessionOutcome.run(package) { $0.limits.cpus = 8192 }
      #expect(outcome.verdicts == [.passed])
      #expect(outcome.state.problems.map(\.code.rawValue) == ["limits-weakened"])
    }
  }

  @Suite struct DemanglingTests {
    @Test func symbolsBecomeReadable() {
      let text = "#3 0x1 in $s4hang5outeryySSF () at $5, $s, $sXX, ä\n"
      let expected = "#3 0x1 in hang.outer(Swift.String) -> () () at $5, $s, $sXX, ä\n"
      #expect(String(decoding: demangled(Array(text.utf8)), as: UTF8.self) == expected)
      #expect(demangled([]) == [])
    }
  }
}
