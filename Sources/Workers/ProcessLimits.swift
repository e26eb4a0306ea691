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

  /// Resource limits and processors for a warm process: `7 64` for a resource and its value,
  /// `processor 3` for each processor. The groups go there as descriptors.
  var lines: [String] {
    resources.map { "\($0.number) \($0.value)" } + processors.map { "processor \($0)" }
  }

  /// Calls the body with the limits in the form of the C module.
  func withCLimits<Result>(_ body: (UnsafePointer<carrel_limits>) -> Result) -> Result {
    let resources = resources.map { carrel_resource_limit(resource: $0.number, value: $0.value) }
    return groups.withUnsafeBufferPointer { groups in
      resources.withUnsafeBufferPointer { resources in
        processors.withUnsafeBufferPointer { processors in
          var limits = carrel_limits(
            groups: groups.baseAddress, group_count: groups.count,
            resources: resources.baseAddress, resource_count: resources.count,
            processors: processors.baseAddress, processor_count: processors.count)
          return body(&limits)
        }
      }
    }
  }
}

/// Calls the body with the limits in the form of the C module, or with a null pointer.
func withOptionalCLimits<Result>(
  _ limits: ProcessLimits?, _ body: (UnsafePointer<carrel_limits>?) -> Result
) -> Result {
  guard let limits else { return body(nil) }
  return limits.withCLimits { body($0) }
}

/// Numbers of the processors that this process may run on, in ascending order.
package func availableProcessors() -> [Int32] {
  var numbers = [Int32](repeating: 0, count: 8192)
  let count = carrel_processors(&numbers, numbers.count)
  return count > 0 ? Array(numbers.prefix(Int(count))) : [0]
}
