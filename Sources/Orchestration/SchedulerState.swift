import RunModel

/// What the scheduler knows of one planned test.
struct TestState: Sendable {
  enum Phase: Equatable, Sendable {
    /// Waits for its planned attempt.
    case queued
    /// Its attempt is recorded by this batch.
    case running(batch: Int)
    /// Waits for a retry or a check.
    case waiting
    case finished
  }

  var phase = Phase.queued
  /// Attempts of which a result was seen.
  var attempts = 0
  /// Times that its process ended before the test started.
  var returns = 0
  /// The verdict of the last attempt that counts.
  var verdict: Verdict?
  var isFlaky = false
  var finding: CompanyFinding?
  /// Seconds of the last attempt.
  var duration: Double?
  /// What ran before it when its planned attempt failed in company; until the test is finished.
  var ran: Predecessors?
}

/// The tests that ran before a test: a prefix of the batch's order, which all its tests share.
struct Predecessors: Sendable {
  let order: [Int]
  let count: Int

  var positions: ArraySlice<Int> { order.prefix(count) }
}

/// A check that waits for an idle worker.
enum Check: Sendable {
  case alone(Int)
  case company(Int)

  var position: Int {
    switch self {
    case .alone(let position), .company(let position): position
    }
  }
}

/// What the scheduler asked a worker for.
struct RunningBatch: Sendable {
  let worker: Int
  let group: Int
  let purpose: AttemptPurpose
  /// Positions of the tests whose attempts are recorded, in order.
  let subjects: [Int]
  /// Positions of the tests that run before the only subject of a company check.
  let neighbours: [Int]
}

/// What is known of a product and library.
struct GroupState: Sendable {
  /// Whether any process brought a result.
  var hasResult = false
  /// Processes for one test that ended without any result, while none of the group had one.
  var emptyProcesses = 0
}

struct SuiteKey: Hashable, Sendable {
  let group: Int
  let suite: ExactText
}

/// A queue whose first element is removed in constant time.
struct Fifo<Element: Sendable>: Sendable {
  private var elements: [Element?] = []
  private var head = 0

  mutating func append(_ element: Element) { elements.append(element) }

  mutating func popFirst() -> Element? {
    guard head < elements.count else { return nil }
    let element = elements[head]
    elements[head] = nil
    head += 1
    if head == elements.count {
      elements.removeAll()
      head = 0
    }
    return element
  }
}
