import FoundationEssentials
import Glibc
import RunModel
import TestSupport
import Testing

extension EndToEnd {
  /// What is printed cannot be written, or nobody reads it.
  @Suite struct OutputFailureTests {
    /// Runs the command from a shell script in which `"$@"` is its command line.
    private func shell(_ script: String, _ arguments: [String]) async throws -> ProcessOutput {
      try await runProcess(
        ["/bin/sh", "-c", script, "sh", Carrel.executable] + arguments,
        environment: Carrel.variables(adding: [:]), timeout: 120)
    }

    /// Commands that succeed, and their package.
    private func commands() async throws -> ([[String]], CarrelRun) {
      let run = try await Carrel.run("TwoSuites", "--batch", "100")
      let path = run.package.path
      let bundle = try #require(try run.bundles.first)
      return (
        [
          ["--help"], ["--version"], ["help", "run"], ["run", "--help"],
          ["list", path, "--skip-build"], ["list", path, "--skip-build", "--format", "json"],
          ["bundle", "list", bundle], ["bundle", "list", bundle, "--format", "json"],
          ["bundle", "show", bundle], ["bundle", "show", bundle, "--format", "json"],
          ["bundle", "verify", bundle],
        ], run
      )
    }

    @Test func aFullDiskIsTold() async throws {
      let (commands, run) = try await commands()
      for arguments in commands {
        let output = try await shell(#"exec "$@" >/dev/full"#, arguments)
        #expect(output.status == 7, "\(arguments): \(output.errorText)")
        let wanted = "carrel: cannot write to standard output: No space left on device\n"
        #expect(output.errorText == wanted, "\(arguments)")
      }
      // A test that failed says more.
      let again = try await shell(
        #"exec "$@" >/dev/full"#,
        ["run", run.package.path, "--skip-build", "--output", run.folder.path(of: "more")])
      #expect(again.status == 1)
      #expect(again.errorText.contains("No space left on device"))
    }

    @Test func aReaderThatLeftIsNoFailure() async throws {
      let (commands, run) = try await commands()
      let folder = try TemporaryFolder()
      let pipe = folder.path(of: "pipe")
      #expect(mkfifo(pipe, 0o600) == 0)
      for arguments in commands {
        // A pipe can only be opened while somebody reads it, who then leaves.
        let output = try await shell(
          #"exec 4<>'\#(pipe)' 5>'\#(pipe)' 4<&-; exec "$@" >&5 5>&-"#, arguments)
        #expect(output.status == 0 && output.errorText == "", "\(arguments) \(output.allText)")
      }
      // Its folder holds the bundle.
      #expect(run.output.status == 1)
    }

    @Test func closedDescriptorsHoldNothingElse() async throws {
      let (commands, run) = try await commands()
      for arguments in commands {
        let output = try await shell(#"exec "$@" >&-"#, arguments)
        #expect(output.status == 7, "\(arguments): \(output.errorText)")
        #expect(output.errorText.contains("standard output: Bad file descriptor"))
        let silent = try await shell(#"exec "$@" 2>&- <&-"#, arguments)
        #expect(silent.status == 0 && !silent.text.isEmpty, "\(arguments)")
      }
      let runs = run.folder.path(of: "closed")
      let closed = try await shell(
        #"exec "$@" <&- >&- 2>&-"#,
        ["run", run.package.path, "--skip-build", "--output", runs, "--batch", "100"])
      #expect(closed.status == 1)
      let record = try recordFolder(in: runs)
      let state = RunState(try readEvents("\(record)/events.jsonl"))
      #expect(state.finish?.exitCode == 1)
      #expect(state.tests.map(\.result.verdict) == (try run.state.tests.map(\.result.verdict)))
    }

    @Test func aLimitOnFileSizesIsTold() async throws {
      let folder = try TemporaryFolder()
      let output = try await shell(
        #"ulimit -f 0; exec "$@" >'\#(folder.path(of: "out"))'"#, ["run", "--help"])
      #expect(output.status == 7, "\(output.end)")
      #expect(output.errorText == "carrel: cannot write to standard output: File too large\n")
    }

    @Test func aPipeThatNobodyReadsIsNoReport() async throws {
      let folder = try TemporaryFolder()
      let pipe = folder.path(of: "pipe")
      #expect(mkfifo(pipe, 0o600) == 0)
      let run = try await Carrel.run("ManySmall", "--filter", "Small1XCTests", "--junit", pipe)
      #expect(run.output.status == 7 && !run.output.didTimeOut, "\(run)")
      #expect(
        run.output.errorText.contains("cannot write \(pipe): no process reads from there"),
        "\(run)")
      // With a reader it is one.
      let reader = open(pipe, O_RDONLY | O_NONBLOCK)
      defer { close(reader) }
      let other = try await Carrel.run(
        "ManySmall", "--filter", "Small1XCTests/test000", "--junit", pipe)
      #expect(other.output.status == 0, "\(other)")
      var bytes = [UInt8](repeating: 0, count: 1 << 16)
      let count = read(reader, &bytes, bytes.count)
      #expect(contains(Array(bytes.prefix(max(count, 0))), "</testsuites>"))
    }

    /// The run goes on to its end while nobody reads what it prints.
    @Test func aSlowReaderHoldsUpNoTest() async throws {
      let package = try await FixturePackage.prepare("ManySmall")
      let folder = try TemporaryFolder()
      let pipe = folder.path(of: "pipe")
      #expect(mkfifo(pipe, 0o600) == 0)
      let reader = open(pipe, O_RDWR | O_CLOEXEC)
      defer { close(reader) }
      makeSmall(reader)
      let runs = folder.path(of: "runs")
      mkdir(runs, 0o755)
      var watch = try FileWatch(runs)
      let process = try ChildProcess(
        [
          "/bin/sh", "-c", #"exec "$@" >'\#(pipe)'"#, "sh", Carrel.executable, "run", package.path,
          "--skip-build", "--output", runs, "--timeout", "30",
        ], environment: Carrel.variables(adding: [:]), timeout: 90)
      let finish = try watch.first(within: 60) { () -> RunFinish? in
        guard let record = try? recordFolder(in: runs) else { return nil }
        return RunState(try readEvents("\(record)/events.jsonl")).finish
      }
      #expect(finish?.exitCode == 0)
      let state = RunState(try readEvents("\(try recordFolder(in: runs))/events.jsonl"))
      #expect(state.tests.allSatisfy { $0.result.verdict == .passed })
      // Everything comes once somebody reads.
      var text: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 4096)
      while !contains(Array(text.suffix(8192)), "  JUnit:"),
        case let count = read(reader, &buffer, buffer.count), count > 0
      {
        text += buffer[..<count]
      }
      #expect(try await process.output().status == 0)
      let lines = String(decoding: text, as: UTF8.self).split(separator: "\n")
      #expect(lines.count { $0.hasPrefix("PASS ") } == state.tests.count)
    }
  }
}

/// Makes a pipe hold one page, much less than what is written to it; F_SETPIPE_SZ of fcntl(2).
func makeSmall(_ pipe: Int32) {
  let setPipeSize: Int32 = 1031
  #expect(fcntl(pipe, setPipeSize, 4096) >= 4096)
}
