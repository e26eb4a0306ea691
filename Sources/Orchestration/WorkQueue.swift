/// The planned tests that wait for a batch, by position in the plan.
///
/// A segment holds tests of one group that may share a process; a batch never spans segments.
struct WorkQueue: Sendable {
  private struct Segment {
    let group: Int
    var tests: ArraySlice<Int>
  }

  /// The front segment is the last element.
  private var segments: [Segment]

  /// Creates a queue with one segment a group.
  init(_ plan: Plan) {
    segments = plan.groups.indices.reversed().map {
      Segment(group: $0, tests: ArraySlice(plan.groups[$0].range))
    }
  }

  /// The group and the tests of the front segment.
  var front: (group: Int, tests: ArraySlice<Int>)? {
    segments.last.map { ($0.group, $0.tests) }
  }

  /// Removes tests from the front segment, at least one and at most all of it.
  mutating func take(_ wanted: Int) -> [Int] {
    guard var segment = segments.popLast() else { return [] }
    let taken = Array(segment.tests.prefix(max(1, wanted)))
    segment.tests = segment.tests.dropFirst(taken.count)
    if !segment.tests.isEmpty { segments.append(segment) }
    return taken
  }

  /// Adds tests as a new segment in front of all others.
  mutating func putInFront(_ tests: ArraySlice<Int>, group: Int) {
    guard !tests.isEmpty else { return }
    segments.append(Segment(group: group, tests: tests))
  }

  /// Removes the tests of one group, or all, and returns them in the order they would have run.
  mutating func removeAll(group: Int? = nil) -> [Int] {
    let removed = segments.reversed().filter { group == nil || $0.group == group }
    segments.removeAll { group == nil || $0.group == group }
    return removed.flatMap(\.tests)
  }
}
