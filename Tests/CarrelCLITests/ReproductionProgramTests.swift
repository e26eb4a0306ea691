import SystemFiles
import TestSupport
import Testing
import Workers

@testable import CarrelCLI

/// How people start a test by hand.
@Suite struct ReproductionProgramTests {
  private func command(
    _ arguments: [String], _ environment: [String: String] = [:], folder: String = "/p"
  ) -> TestCommand {
    TestCommand(
      ProcessRequest(
        executable: "/p/it's x", arguments: arguments, environment: environment, directory: folder,
        scope: "s"))
  }

  @Test func whatIsForCarrelIsLeftOut() {
    let command = command(
      [
        "--testing-library", "swift-testing", "--event-stream-output-path", "/dev/fd/3",
        "--event-stream-version", "0", "--no-parallel", "--verbosity", "-9", "--configuration-path",
        "/c/selection",
      ],
      [
        "HOME": "/h", "LD_PRELOAD": "/o", "CARREL_OBSERVER_NONCE": "1", "SWIFT_BACKTRACE": "x",
        "CARREL_WORKER": "2",
      ])
    #expect(
      command.arguments == [
        "--testing-library", "swift-testing", "--no-parallel", "--configuration-path",
        "/c/selection",
      ])
    #expect(command.environment == ["HOME": "/h", "CARREL_WORKER": "2"])
    #expect(command.own.isEmpty)
  }

  /// Words arrive as they are, whatever is in them.
  @Test func theScriptIsReadByShells() async throws {
    let folder = try TemporaryFolder(name: "o'ne $two")
    let program = folder.path(of: "it's x")
    try writeSmallFile(
      program, Array("#!/bin/sh\nprintf '[%s]' \"$PWD\" \"$@\" \"${TERM-none}\"\n".utf8),
      mode: 0o755)
    let words = ["a b", "$HOME", "it's", "", "\"q\"", "日本\nx"]
    let command = TestCommand(
      ProcessRequest(
        executable: program, arguments: words, environment: [:], directory: folder.path,
        scope: "s"))
    let script = folder.path(of: "run-test")
    try writeSmallFile(script, Array(command.script.utf8), mode: 0o755)
    let output = try await runProcess(["/bin/sh", script], environment: ["TERM": "vt100"])
    #expect(output.text == ([folder.path] + words + ["none"]).map { "[\($0)]" }.joined())
  }

  /// The observer selects what XCTest's argument cannot name.
  @Test func selectionsInFilesAreKept() {
    let command = command([], ["CARREL_OBSERVER_SELECTION": "/c/selection", "LD_PRELOAD": "/o"])
    #expect(command.own == ["CARREL_OBSERVER_SELECTION": "/c/selection", "LD_PRELOAD": "/o"])
    #expect(
      command.script.contains("CARREL_OBSERVER_SELECTION='/c/selection' LD_PRELOAD='/o' exec"))
    let debugger = Debugger(named: "gdb", CommandContext(environment: [:]))
    #expect(
      debugger.arguments(for: command, executable: "/usr/bin/gdb") == [
        "-q", "-iex", "unset environment TERM", "-iex",
        "set environment CARREL_OBSERVER_SELECTION /c/selection", "-iex",
        "set environment LD_PRELOAD /o", "--args", "/p/it's x",
      ])
  }

  @Test func debuggersAreFound() throws {
    let folder = try TemporaryFolder()
    let (toolchain, path) = (folder.path(of: "toolchain"), folder.path(of: "path"))
    func make(_ program: String, _ status: Int = 0) throws {
      try makeFolders(SystemFiles.folder(of: program))
      try writeSmallFile(program, Array("#!/bin/sh\nexit \(status)\n".utf8), mode: 0o755)
    }
    func found(_ name: String) throws -> String {
      try Debugger(named: name, CommandContext(environment: ["PATH": "relative:\(path)"]))
        .executable(toolchain: toolchain)
    }
    for name in ["auto", "lldb", "gdb", "\(path)/own"] {
      let error = #expect(throws: CommandError.self) { try found(name) }
      #expect(error?.exitCode == .environment)
      #expect(error?.message.contains("--debugger=PATH") == true)
    }
    try make("\(path)/gdb")
    #expect(try [found("auto"), found("gdb")] == ["\(path)/gdb", "\(path)/gdb"])
    // One without its libraries: only who asks for it gets it.
    try make("\(toolchain)/lldb", 127)
    #expect(try [found("auto"), found("lldb")] == ["\(path)/gdb", "\(toolchain)/lldb"])
    try make("\(toolchain)/lldb")
    #expect(try found("auto") == "\(toolchain)/lldb")
    try make("\(path)/own")
    #expect(try found("\(path)/own") == "\(path)/own")
  }

  @Test func lldbGetsTheWholeCommand() {
    let debugger = Debugger(named: "auto", CommandContext(environment: [:]))
    #expect(
      debugger.arguments(for: command(["M.C/t"]), executable: "/t/lldb") == [
        "-O", "settings set target.unset-env-vars TERM", "--", "/p/it's x", "M.C/t",
      ])
  }

  @Test func aShellMustBeThere() {
    #expect(ReproductionProgram.shell("/bin/sh", isSandboxed: true) == "/bin/sh")
    for path in [nil, "bash", "/nonexistent/zsh"] {
      #expect(ReproductionProgram.shell(path, isSandboxed: false) == "/bin/sh")
    }
  }
}
