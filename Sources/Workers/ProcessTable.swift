import Glibc
import SystemFiles

/// What `/proc` says about processes.
package enum ProcessTable {
  /// PIDs of all processes.
  package static func all() -> [Int32] {
    (folderEntries("/proc") ?? []).compactMap { Int32($0) }
  }

  /// Numbers of a process's threads, in ascending order.
  package static func threads(of pid: Int32) -> [Int32] {
    (folderEntries("/proc/\(pid)/task") ?? []).compactMap { Int32($0) }.sorted()
  }

  /// PIDs of the caller's children, including orphans that it adopted.
  package static func children(of pid: Int32 = getpid()) -> [Int32] {
    if let threads = folderEntries("/proc/\(pid)/task") {
      var result: [Int32] = []
      var isComplete = true
      for thread in threads {
        guard let bytes = readSmallFile("/proc/\(pid)/task/\(thread)/children") else {
          // A thread may end between listing and reading; a kernel without this file never has it.
          isComplete = isComplete && access("/proc/self/task/\(getpid())/children", F_OK) == 0
          continue
        }
        result += bytes.split(separator: UInt8(ascii: " ")).compactMap {
          Int32(String(decoding: $0, as: UTF8.self))
        }
      }
      if isComplete { return result }
    }
    return all().filter {
      status(of: $0)?.parent == pid
    }
  }

  /// Parent, session and state of a process, from `/proc/PID/stat` (proc(5)).
  package static func status(
    of pid: Int32
  ) -> (parent: Int32, group: Int32, session: Int32, isZombie: Bool)? {
    guard let bytes = readSmallFile("/proc/\(pid)/stat"),
      let close = bytes.lastIndex(of: UInt8(ascii: ")"))
    else { return nil }
    let fields = bytes[(close + 1)...].split(separator: UInt8(ascii: " ")).map {
      String(decoding: $0, as: UTF8.self)
    }
    guard fields.count > 3, let parent = Int32(fields[1]), let group = Int32(fields[2]),
      let session = Int32(fields[3])
    else { return nil }
    return (parent, group, session, fields[0] == "Z")
  }

  /// The process that a pidfd is of (`Pid:` in `/proc/PID/fdinfo`, pidfd_open(2)).
  ///
  /// - Returns: `nil` when it was reaped, or lies outside of what the caller can see.
  static func pid(ofDescriptor descriptor: Int32) -> Int32? {
    number(after: "Pid:", in: "/proc/self/fdinfo/\(descriptor)").flatMap { $0 > 0 ? $0 : nil }
  }

  /// The number of a process in the innermost of its namespaces of processes (`NSpid:` in
  /// `/proc/PID/status`, proc(5)).
  static func innermostPID(of pid: Int32) -> Int32? {
    number(after: "NSpid:", in: "/proc/\(pid)/status")
  }

  /// The last number of the line that begins with a word.
  private static func number(after word: StaticString, in path: String) -> Int32? {
    let word = Array("\(word)".utf8)
    guard let bytes = readSmallFile(path),
      let line = bytes.split(separator: 10).first(where: { $0.starts(with: word) }),
      let last = line.split(whereSeparator: { $0 == 9 || $0 == 32 }).last
    else { return nil }
    return Int32(String(decoding: last, as: UTF8.self))
  }

  /// Parent of a process and the letter of its state, as in proc_pid_stat(5); `nil` when there is
  /// no such process.
  static func state(of pid: Int32) -> (parent: Int32, letter: Character)? {
    guard let bytes = readSmallFile("/proc/\(pid)/stat"),
      let close = bytes.lastIndex(of: UInt8(ascii: ")"))
    else { return nil }
    let fields = bytes[(close + 1)...].split(separator: UInt8(ascii: " "), maxSplits: 2)
    guard fields.count > 1, let letter = fields[0].first,
      let parent = Int32(String(decoding: fields[1], as: UTF8.self))
    else { return nil }
    return (parent, Character(Unicode.Scalar(letter)))
  }

  /// The command line, arguments separated by spaces; the name in brackets when it has none.
  package static func command(of pid: Int32) -> String {
    let bytes = readSmallFile("/proc/\(pid)/cmdline") ?? []
    if bytes.isEmpty {
      let name = readSmallFile("/proc/\(pid)/comm") ?? []
      return "[" + String(decoding: name.prefix { $0 != 10 }, as: UTF8.self) + "]"
    }
    return bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
      .joined(separator: " ")
  }

  /// The environment that the process was started with; `nil` when it cannot be read.
  package static func environment(of pid: Int32) -> [String: String]? {
    guard let bytes = readSmallFile("/proc/\(pid)/environ") else { return nil }
    var result: [String: String] = [:]
    for entry in bytes.split(separator: 0) {
      guard let equals = entry.firstIndex(of: UInt8(ascii: "=")) else { continue }
      let name = String(decoding: entry[..<equals], as: UTF8.self)
      result[name] = String(decoding: entry[(equals + 1)...], as: UTF8.self)
    }
    return result
  }
}
