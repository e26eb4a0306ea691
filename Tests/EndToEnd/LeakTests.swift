import Glibc
import RunModel
import TestSupport
import Testing

extension EndToEnd {
  /// What processes that tests leave behind hold.
  @Suite struct LeakTests {
    /// The sockets at which a leaked process listens, and the pipes that it keeps open.
    @Test(arguments: TeardownTests.starts) func holdingsAreNamed(start: [String]) async throws {
      let run = try await Carrel.run(
        "Teardown", ["--filter", "SocketXCTests", "--company-check", "off"] + start)
      #expect(run.output.status == 1 && !run.output.isOutputHeldOpen, "\(run)")
      let server = try run.test("testLeavesAServer")
      let attempt = try #require(server.decisive)
      let printed = String(decoding: try run.log(attempt.stdout), as: UTF8.self)
        .split(separator: "\n").map { String($0) }
      let leak = try #require(attempt.leaks.first { $0.command == "sleep 1511" })
      #expect(leak.sockets?.map(\.description).sorted() == printed.sorted())
      #expect(leak.pipes == [.stdout, .stderr])
      #expect(!isSameProcess(leak.pid, command: "sleep 1511"))
      let line =
        "pid \(leak.pid): sleep 1511; listens on \(printed.sorted().joined(separator: ", "))"
      #expect(run.output.text.contains(line + "; holds stdout and stderr open"), "\(run)")
      let error = try #require(
        try await run.junit.testCase(server.id)?.children("error").first)
      #expect(error.text.contains(line), "\(error.text)")

      let quiet = try #require(try run.test("testLeavesAQuietProcess").decisive)
      let other = try #require(quiet.leaks.first { $0.command == "sleep 1512" })
      #expect(other.pipes == nil && other.sockets == nil)
    }

    /// Where leaks are allowed they are properties of a test case that passed.
    @Test func allowedLeaksAreProperties() async throws {
      let run = try await Carrel.run(
        "Teardown", "--filter", "testLeavesAServer", "--leaks", "pass")
      #expect(run.output.status == 0, "\(run)")
      let test = try run.test("testLeavesAServer")
      let properties = try #require(try await run.junit.testCase(test.id)).descendants("property")
      let leak = properties.first { $0.attributes["name"] == "carrel.leak" }
      let value = try #require(leak?.attributes["value"])
      #expect(value.contains("sleep 1511; listens on tcp 127.0.0.1:"), "\(value)")
    }

    /// The result does not wait for the process that keeps the output open for five minutes.
    @Test func theVerdictDoesNotWaitForTheOutput() async throws {
      let run = try await Carrel.run(
        "Outcomes", "--filter", "LeakXCTests/test1|LeakTests/back", "--batch", "1",
        "--company-check", "off", timeout: 60)
      #expect(!run.output.didTimeOut && !run.output.isOutputHeldOpen, "\(run)")
      let tests = try run.state.tests
      #expect(tests.map(\.result.verdict) == [.leaked, .leaked])
      for event in try run.events {
        guard case .attemptFinished(let attempt) = event.kind, attempt.verdict == .leaked else {
          continue
        }
        // Measured are 0.1 s; this is only told from minutes here.
        #expect(event.time - attempt.startedAt - attempt.duration < 10)
        #expect(attempt.leaks.first?.pipes?.contains(.stdout) == true)
      }
    }
  }
}
