import CSystem
import Glibc

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
  /// Open descriptors of the files `cgroup.procs` of the groups that it joins. Whoever made the
  /// limits closes them.
  var groups: [Int32] = []

  /// The greatest number of groups that a process can join.
  static let mostGroups = 2

  /// Resource limits and processors: `7 64` for a resource and its value, `processor 3` for each
  /// processor. Groups are passed on as descriptors.
  var lines: [String] {
    resources.map { "\($0.number) \($0.value)" } + processors.map { "processor \($0)" }
  }
}

/// Numbers of the processors that this process may run on, in ascending order.
package func availableProcessors() -> [Int32] {
  var numbers = [Int32](repeating: 0, count: 8192)
  let count = carrel_processors(&numbers, numbers.count)
  return count > 0 ? Array(numbers.prefix(Int(count))) : [0]
}
