import FoundationEssentials
import Glibc
import RunModel
import TestSupport
import Testing

extension EndToEnd {
  /// Tests that do not end, and processes that outlive theirs.
  @Suite struct HangTests {
    /// Only the stuck test is timed out, its name and its last words are known.
    @Test(arguments: ["1", "auto"])
    func stuckTestIsTimedOut(batch: String) async throws {
      let run = try await Carrel.run(
        "Outcomes", "--filter", "HangXCTests", "--timeout", "3", "--grace", "1", "--batch", batch,
        "--slow", "1")
      #expect(run.output.status == 1, "\(run)")
      let test = try run.test("test2PrintsAndHangs")
      #expect(test.result.verdict == .timedOut)
      #expect(contains(try run.log(test.decisive?.stdout), "the last words, not flushed"))
      // Its name and its age were told while it ran.
      let lines = run.output.text.split(separator: "\n")
      let slow = try #require(lines.firstIndex { $0.hasPrefix("SLOW") }, "\(run)")
      let timedOut = try #require(lines.firstIndex { $0.hasPrefix("TIMEOUT") }, "\(run)")
      #expect(slow < timedOut && lines[slow].contains("test2PrintsAndHangs"))
      // Under load a second may pass before anybody looks.
      let age = try #require(lines[slow].firstMatch(of: #/([0-9]+)\.[0-9]/#)?.1)
      #expect((1...3).contains(try #require(Int(age))), "\(lines[slow])")
      #expect(try run.test("test1Passes").result.verdict == .passed)
      #expect(try run.test("test3Passes").result.verdict == .passed)
      let status = try #require(try await run.junit.statuses.first { $0.key.contains("test2") })
      #expect(status.value.kind == "error")
      #expect(contains(try run.log(test.decisive?.stdout), "words"))
    }

    /// Blocked threads, lost continuations and loops that ignore cancellation alike.
    @Test(arguments: ["1", "auto"])
    func everyKindOfHangEnds(batch: String) async throws {
      let run = try await Carrel.run(
        "Outcomes", "--filter", "HangTests/", "--timeout", "3", "--grace", "1", "--batch", batch,
        "--workers", "2")
      for name in ["blocks()", "neverResumed()", "swallowsCancellation()"] {
        #expect(try run.test(name).result.verdict == .timedOut, "\(name) \(run)")
      }
      #expect(try run.test("quickToo()").result.verdict == .passed)
      let quick = try run.test("quick(number:)")
      #expect(quick.result.verdict == .passed)
      #expect(quick.decisive?.cases.count == 20)
      // What the process did is in each bundle.
      let blocks = try await run.hangSnapshot(run.test("/blocks()"))
      #expect(blocks.hasPrefix("what ran when it was ended: the limit of 3 s was exceeded\ntest "))
      #expect(blocks.contains("in hrtimer_nanosleep"), "\(blocks)")
      #expect(blocks.contains("\nthe end of standard output\nabout to block\n"))
      #expect(blocks.contains(" -> pipe:["))
      for name in ["neverResumed()", "swallowsCancellation()"] {
        let text = try await run.hangSnapshot(run.test(name))
        #expect(text.contains("(the test's process)\n") && text.contains("  thread "), "\(text)")
      }
    }

    /// Stacks show where the test hangs.
    @Test(.enabled(if: hasDebugger, "gdb is not installed"))
    func stacksAreInTheSnapshot() async throws {
      let run = try await Carrel.run(
        "Outcomes", "--filter", "HangXCTests/test2", "--timeout", "3", "--grace", "1",
        "--company-check", "off")
      let text = try await run.hangSnapshot(run.test("test2PrintsAndHangs"))
      #expect(text.contains("\nstacks of process "), "\(text)")
      #expect(text.contains("HangXCTests.test2PrintsAndHangs() -> ()"), "\(text)")
    }

    /// Whatever the machine's debugger does, the test is ended.
    @Test func debuggerThatHangsIsNotWaitedFor() async throws {
      let folder = try TemporaryFolder()
      let script = folder.path(of: "gdb")
      #expect(
        FileManager.default.createFile(
          atPath: script, contents: Data("#!/bin/sh\ntrap '' TERM\nsleep 1271\n".utf8)))
      chmod(script, 0o755)
      let run = try await Carrel.run(
        "Outcomes", "--filter", "HangXCTests/test2", "--timeout", "1", "--grace", "1",
        "--company-check", "off",
        environment: ["PATH": "\(folder.path):" + (Carrel.variables(adding: [:])["PATH"] ?? "")])
      #expect(try run.test("test2PrintsAndHangs").result.verdict == .timedOut)
      #expect(!run.output.didTimeOut && !run.output.isOutputHeldOpen)
      let text = try await run.hangSnapshot(run.test("test2PrintsAndHangs"))
      #expect(text.contains("note: gdb took too long with process "), "\(text)")
      #expect(text.contains("in hrtimer_nanosleep"))
    }

    /// Descendants that ignore SIGTERM are ended as well.
    @Test func nothingOutlivesATimeout() async throws {
      let run = try await Carrel.run(
        "Outcomes", "--filter", "HangTree", "--timeout", "2", "--grace", "1")
      let test = try run.test("testTreeIgnoresTermination")
      #expect(test.result.verdict == .timedOut, "\(run)")
      let log = String(decoding: try run.log(test.decisive?.stdout), as: UTF8.self)
      let words = log.split(whereSeparator: \.isWhitespace)
      let position = try #require(words.firstIndex(of: "shell"))
      let pid = try #require(pid_t(words[position + 1]))
      #expect(!isSameProcess(pid, command: "trap"))
      // The whole tree was seen before it was ended, and is gone.
      let snapshot = try await run.hangSnapshot(test)
      let tree = snapshot.split(separator: "\n").filter {
        $0.hasPrefix("  ") && $0.contains("trap")
      }
      #expect(tree.count >= 2, "\(snapshot)")
      for line in tree {
        let number = try #require(line.split(separator: " ").first.flatMap { pid_t($0) })
        #expect(!isSameProcess(number, command: "trap"), "\(line)")
      }
    }

    /// The result is known at once although a child of the test holds its output open.
    @Test(arguments: [("pass", Int32(0)), ("fail", 1)])
    func leaksAreNamed(option: String, status: Int32) async throws {
      let run = try await Carrel.run(
        "Outcomes", "--filter", "LeakXCTests/test[123]|LeakTests/", "--leaks", option, "--batch",
        "1", timeout: 60)
      #expect(run.output.status == status, "\(run)")
      #expect(!run.output.didTimeOut && !run.output.isOutputHeldOpen)
      for (name, command) in [
        ("test1BackgroundProcess", "sleep 300"), ("test2Daemon", "sleep 301"),
        ("backgroundProcess()", "sleep 303"),
      ] {
        let test = try run.test(name)
        #expect(test.result.verdict == .leaked, "\(name)")
        let leak = try #require(test.decisive?.leaks.first { $0.command.contains(command) })
        #expect(run.output.text.contains(command), "\(run)")
        #expect(!isSameProcess(leak.pid, command: command))
      }
      #expect(try run.test("test3Passes").result.verdict == .passed)
      #expect(try run.test("LeakTests/passes()").result.verdict == .passed)
      let kinds = try await run.junit.statuses.filter { $0.key.contains("test1Background") }
      #expect(kinds.first?.value.kind == (option == "pass" ? "passed" : "error"))
    }
  }
}

/// Whether there is a debugger for stacks.
private let hasDebugger =
  (Carrel.variables(adding: [:])["PATH"] ?? "").split(separator: ":")
  .contains { access("\($0)/gdb", X_OK) == 0 }

/// Whether a process still runs a command; its number may belong to another one by now.
func isSameProcess(_ pid: pid_t, command: String) -> Bool {
  guard let bytes = try? readSmallFile("/proc/\(pid)/cmdline") else { return false }
  let line = String(decoding: bytes.map { $0 == 0 ? UInt8(ascii: " ") : $0 }, as: UTF8.self)
  return line.contains(command)
}

/// Reads a file whose size is not known beforehand, as those of procfs(5).
func readSmallFile(_ path: String) throws -> [UInt8] {
  let descriptor = open(path, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { throw FixtureProblem("cannot read \(path)") }
  defer { close(descriptor) }
  var buffer = [UInt8](repeating: 0, count: 1 << 16)
  let count = read(descriptor, &buffer, buffer.count)
  return Array(buffer.prefix(max(count, 0)))
}
