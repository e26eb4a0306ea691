import CSystem
import Glibc
import SystemFiles

/// The limits of one process, as the system takes them.
package struct ProcessLimits: Hashable, Sendable {
  /// A limit of setrlimit(2), soft and hard alike; one above the caller's hard limit becomes that.
  struct Resource: Hashable, Sendable {
    /// The number of the resource.
    var number: Int32
    var value: UInt64
  }

  var resources: [Resource] = []
  /// Numbers of the processors that it may run on; empty for all.
  var processors: [Int32] = []
  /// The mask of permissions that new files do not get (umask(2)); `nil` for the caller's.
  package var fileMask: UInt32?
  /// Open descriptors of the files `cgroup.procs` of the groups that it joins. Whoever made the
  /// limits closes them.
  var groups: [Int32] = []

  /// The greatest number of groups that a process can join.
  static let mostGroups = 2

  /// Resource limits, processors and mask: `7 64` for a resource and its value, `processor 3` for
  /// each processor, `umask 18` for a mask, all numbers decimal. Groups are passed on as
  /// descriptors.
  var lines: [String] {
    resources.map { "\($0.number) \($0.value)" } + processors.map { "processor \($0)" }
      + (fileMask.map { ["umask \($0 & 0o777)"] } ?? [])
  }
}

extension ProcessLimits {
  /// These limits with a mask of new files; `nil` when there is neither.
  package static func adding(fileMask: UInt32?, to limits: ProcessLimits?) -> ProcessLimits? {
    guard let fileMask else { return limits }
    var result = limits ?? ProcessLimits()
    result.fileMask = fileMask
    return result
  }
}

/// The mask of permissions that new files of this process do not get; `nil` when the system does
/// not tell. umask(2) tells it only by setting another one, which other threads would see.
package func ownFileMask() -> UInt32? {
  guard let status = readSmallFile("/proc/self/status") else { return nil }
  let line = String(decoding: status, as: UTF8.self).split(separator: "\n")
    .first { $0.hasPrefix("Umask:") }
  guard let digits = line?.dropFirst("Umask:".count).drop(while: { $0 == " " || $0 == "\t" }) else {
    return nil
  }
  return UInt32(digits, radix: 8)
}

/// Numbers of the processors that this process may run on, in ascending order.
package func availableProcessors() -> [Int32] {
  var numbers = [Int32](repeating: 0, count: 8192)
  let count = carrel_processors(&numbers, numbers.count)
  return count > 0 ? Array(numbers.prefix(Int(count))) : [0]
}
