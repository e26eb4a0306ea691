import Workers

/// The way in which a run's containers come to have the data of its seed intent: the one that was
/// asked for, or the cheapest, which is found out when the data is there and other batches run.
final class CloneDecision {
  private(set) var choice: CloneChoice?
  /// Whether a reader of the record knows the reason already.
  private var isTold: Bool
  private let plan: SandboxPlan?
  private let folder: String
  private let supervision: Sandbox.Supervision
  private var check: CloneCheck?
  private var waiting: [(CloneWay?) -> Void] = []
  private var isCancelled = false

  /// - Parameters:
  ///   - choice: What the record's header says; `nil` when no way was asked for.
  ///   - plan: What the run's sandboxes are like; `nil` when it has none.
  ///   - folder: The folder of its containers.
  init(
    _ choice: CloneChoice?, plan: SandboxPlan?, in folder: String,
    using supervision: Sandbox.Supervision
  ) {
    self.choice = choice
    isTold = choice != nil
    self.plan = plan
    self.folder = folder
    self.supervision = supervision
  }

  /// Finds the way.
  ///
  /// - Parameters:
  ///   - template: The data; the same for all calls.
  ///   - handler: Given the way, at once when it is known, else by the loop; `nil` when the run
  ///     ends.
  func whenMade(for template: ContainerTemplate, then handler: @escaping (CloneWay?) -> Void) {
    if isCancelled { return handler(nil) }
    if let choice { return handler(choice.way) }
    if template.isSmall {
      choice = CloneChoice(
        way: .copy, reason: "a copy of so few files takes less time than an overlay")
      return handler(.copy)
    }
    waiting.append(handler)
    guard check == nil else { return }
    let check = CloneCheck(nil, plan: plan, in: folder, using: supervision) { [unowned self] in
      finish($0)
    }
    self.check = check
    check.start()
  }

  private func finish(_ result: Result<CloneChoice, RunEngineError>) {
    // Without a way that was asked for there is always one.
    let made =
      (try? result.get()) ?? CloneChoice(way: .copy, reason: "no other way could be tried")
    if !isCancelled { choice = made }
    let handlers = waiting
    waiting = []
    for handler in handlers { handler(isCancelled ? nil : made.way) }
  }

  /// Ends what is being tried, because the run ends.
  func cancel() {
    isCancelled = true
    check?.cancel()
  }

  /// Why it is this way, for the first batch that has it; `nil` when the record says so already.
  func takeReason() -> String? {
    guard !isTold, let choice else { return nil }
    isTold = true
    return choice.reason
  }
}
