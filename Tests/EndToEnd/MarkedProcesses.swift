import FoundationEssentials
import Glibc
import TestSupport

/// Processes of one run, by the variable that they have inherited.
struct MarkedProcesses: Sendable {
  struct Process: Hashable, Sendable {
    var pid: pid_t
    var command: String
    var scope: String
  }

  var all: [Process] = []

  init() {}

  /// - Parameter run: The ID of the run, or any text that scopes begin with.
  init(of run: String) throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: "/proc") {
      // It may have ended meanwhile, or be somebody else's.
      guard let pid = pid_t(name), let bytes = try? readSmallFile("/proc/\(pid)/environ") else {
        continue
      }
      let scopes = bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
        .filter { $0.hasPrefix("CARREL_SCOPE=\(run)") }
      guard let scope = scopes.first?.dropFirst("CARREL_SCOPE=".count) else { continue }
      all.append(Process(pid: pid, command: commandLine(of: pid), scope: String(scope)))
    }
  }

  /// Waits for the ends of these processes.
  ///
  /// - Returns: Those that are still there after so many seconds.
  func left(after seconds: Double) -> [Process] {
    let deadline = now() + seconds
    return all.filter { process in
      !waitForEnd(of: process.pid, until: deadline) {
        commandLine(of: process.pid) == process.command
      }
    }
  }

  /// Kills what a test that failed has left.
  static func kill(_ processes: [Process]) {
    for process in processes where commandLine(of: process.pid) == process.command {
      Glibc.kill(process.pid, SIGKILL)
    }
  }
}

/// The arguments of a process, with spaces between them; empty when there is no such process, or
/// it has ended.
func commandLine(of pid: pid_t) -> String {
  let bytes = (try? readSmallFile("/proc/\(pid)/cmdline")) ?? []
  return bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    .joined(separator: " ")
}

/// A process and all its descendants, with the letters of their states.
func familyStates(of pid: pid_t) throws -> [pid_t: Character] {
  var result: [pid_t: Character] = [:]
  var rest = [pid]
  while let process = rest.popLast() {
    guard let text = try? readSmallFile("/proc/\(process)/stat"),
      let end = text.lastIndex(of: UInt8(ascii: ")")), text.count > end + 2
    else { continue }
    result[process] = Character(Unicode.Scalar(text[end + 2]))
    for thread in try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task") {
      let children = (try? readSmallFile("/proc/\(process)/task/\(thread)/children")) ?? []
      rest += children.split(separator: UInt8(ascii: " ")).compactMap {
        pid_t(String(decoding: $0, as: UTF8.self))
      }
    }
  }
  return result
}
