import Glibc
import SystemFiles

/// A debugger that a person uses on a test's process.
struct Debugger {
  private enum Choice: Equatable {
    case auto, lldb, gdb
    case path(String)
  }

  private let choice: Choice
  /// The folders of the caller's `PATH`.
  private let folders: [String]

  /// - Parameter name: `auto`, `lldb`, `gdb`, or the path of another one.
  init(named name: String, _ context: CommandContext) {
    choice =
      switch name {
      case "auto": .auto
      case "lldb": .lldb
      case "gdb": .gdb
      default: .path(context.absolute(name))
      }
    folders = (context.environment["PATH"] ?? "").split(separator: ":").map { String($0) }
      .filter { $0.hasPrefix("/") }
  }

  /// Its absolute path.
  ///
  /// - Parameter toolchain: Folder of the toolchain's programs: its `lldb` knows its Swift.
  /// - Throws: ``CommandError`` when there is none.
  func executable(toolchain: String) throws(CommandError) -> String {
    let own = [toolchain + "/lldb"]
    let candidates =
      switch choice {
      case .auto: own + onPath("lldb") + onPath("gdb")
      case .lldb: own + onPath("lldb")
      case .gdb: onPath("gdb")
      case .path(let path): [path]
      }
    // One that was installed without its libraries is of no use.
    let found = candidates.filter { isProgram($0) }
    if choice == .auto, let working = found.first(where: { starts($0) }) { return working }
    if let first = found.first { return first }
    let what =
      switch choice {
      case .auto: "there is neither an lldb in \(toolchain) nor a debugger on PATH"
      case .lldb: "there is no lldb in \(toolchain) or on PATH"
      case .gdb: "there is no gdb on PATH"
      case .path(let path): "there is no program \(path)"
      }
    throw CommandError(
      .environment, "\(what); install one, or name another with --debugger=PATH")
  }

  private func onPath(_ name: String) -> [String] { folders.map { "\($0)/\(name)" } }

  private func isProgram(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.isRegular && access(path, X_OK) == 0
  }

  /// Whether a program can be loaded, found out by asking for its version.
  private func starts(_ path: String) -> Bool {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (number, flags) in [(Int32(0), O_RDONLY), (1, O_WRONLY), (2, O_WRONLY)] {
      posix_spawn_file_actions_addopen(&actions, number, "/dev/null", flags, 0)
    }
    let words: [UnsafeMutablePointer<CChar>?] = [strdup(path), strdup("--version"), nil]
    defer { for word in words { free(word) } }
    var process: pid_t = 0
    guard posix_spawn(&process, path, &actions, nil, words, environ) == 0 else {
      return false
    }
    var status: Int32 = -1
    while waitpid(process, &status, 0) < 0 && errno == EINTR {}
    return status == 0
  }

  /// Its arguments: the test is loaded, and not started.
  func arguments(for test: TestCommand, executable: String) -> [String] {
    let own = test.own.sorted { $0.key < $1.key }
    let words = [test.executable] + test.arguments
    if lastComponent(of: executable).contains("gdb") {
      let settings =
        ["unset environment TERM"] + own.map { "set environment \($0.key) \($0.value)" }
      return ["-q"] + settings.flatMap { ["-iex", $0] } + ["--args"] + words
    }
    let settings =
      ["settings set target.unset-env-vars TERM"]
      + own.map { "settings set target.env-vars \($0.key)=\"\($0.value)\"" }
    return settings.flatMap { ["-O", $0] } + ["--"] + words
  }
}
