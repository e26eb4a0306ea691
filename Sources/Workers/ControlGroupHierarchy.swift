import Glibc
import SystemFiles

/// Where the control groups of this process are, as `/proc` tells it (cgroups(7)).
struct ControlGroupHierarchy: Hashable {
  enum Version: Int { case one = 1, two }

  var version: Version
  /// `memory` or `pids`; empty for version 2, where all controllers share one hierarchy.
  var controller: String
  /// Absolute path of the group that this process is in.
  var folder: String

  /// The hierarchies of the given controllers, version 2 first.
  ///
  /// - Parameters:
  ///   - mounts: The text of `/proc/self/mounts`.
  ///   - groups: The text of `/proc/self/cgroup`.
  static func find(
    _ controllers: [String], mounts: String, groups: String
  ) -> [ControlGroupHierarchy] {
    var own: [String: String] = [:]
    for line in groups.split(separator: "\n") {
      let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard parts.count == 3 else { continue }
      for name in parts[1].split(separator: ",", omittingEmptySubsequences: false) {
        own[String(name)] = String(parts[2])
      }
    }
    var found: [ControlGroupHierarchy] = []
    for line in mounts.split(separator: "\n") {
      let fields = line.split(separator: " ")
      guard fields.count > 3 else { continue }
      let options = fields[3].split(separator: ",").map { String($0) }
      let names = fields[2] == "cgroup2" ? [""] : controllers.filter { options.contains($0) }
      guard fields[2] == "cgroup2" || fields[2] == "cgroup" else { continue }
      for name in names {
        guard let path = own[name], !found.contains(where: { $0.controller == name }) else {
          continue
        }
        let mount = unescaped(fields[1])
        found.append(
          ControlGroupHierarchy(
            version: fields[2] == "cgroup2" ? .two : .one, controller: name,
            folder: path == "/" ? mount : mount + path))
      }
    }
    return found.sorted { $0.version.rawValue > $1.version.rawValue }
  }

  /// A path of `/proc/self/mounts`, in which a space is `\040` (getmntent(3)).
  private static func unescaped(_ text: Substring) -> String {
    var result: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "\\"), rest.count >= 3,
        let code = UInt8(String(decoding: rest.prefix(3), as: UTF8.self), radix: 8)
      {
        result.append(code)
        rest = rest.dropFirst(3)
      } else {
        result.append(byte)
      }
    }
    return String(decoding: result, as: UTF8.self)
  }
}

/// Reading and writing the files of control groups; each write is one call, as the kernel wants it.
enum ControlGroupFile {
  /// Writes to a file that is there.
  ///
  /// - Throws: The system's reason.
  static func write(_ text: String, to path: String) throws(SystemFailure) {
    let file = try OwnedDescriptor(opening: path, O_WRONLY)
    let bytes = Array(text.utf8)
    try retrying { Glibc.write(file.number, bytes, bytes.count) }
  }

  /// The words of a file; none when it cannot be read.
  static func words(_ path: String) -> [String] {
    String(decoding: readSmallFile(path) ?? [], as: UTF8.self)
      .split(whereSeparator: \.isWhitespace).map { String($0) }
  }

  /// The number that follows a word: of `oom_kill` in `memory.events`, for example.
  static func number(after word: String, in path: String) -> Int {
    let words = words(path)
    guard let index = words.firstIndex(of: word), index + 1 < words.count else { return 0 }
    return Int(words[index + 1]) ?? 0
  }
}
