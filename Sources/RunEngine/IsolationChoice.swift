import SystemFiles
import Workers

extension IsolationChoice {
  /// Finds out which level a run can have: the strongest that works, unless one was asked for.
  ///
  /// - Parameters:
  ///   - plan: What its sandboxes are like; called when they are to be tried.
  ///   - root: From then on containers in it are seen where that level has them.
  ///   - supervisor: The run's, which watches the process that tries a sandbox.
  /// - Returns: The level, and the plan when it is that of sandboxes.
  /// - Throws: ``RunEngineError`` with code `isolationUnavailable` when a level was asked for that
  ///   this machine does not give, and what the plan throws.
  static func choose(
    _ request: IsolationRequest, plan: () throws -> SandboxPlan, in root: WorkRoot,
    indexTemplate: String, supervisor: Supervisor
  ) throws -> (choice: IsolationChoice, plan: SandboxPlan?) {
    if let level = request.level, level != .sandbox {
      return (IsolationChoice(level: level, reason: "it was asked for"), nil)
    }
    let plan = try plan()
    root.view = SandboxPlan.view
    root.homePlaces = plan.homePlaces
    let containers = [
      try root.prepare(worker: 0, indexTemplate: indexTemplate),
      try root.prepare(worker: 1, indexTemplate: indexTemplate),
    ]
    defer {
      for container in containers {
        // The second one is as it was made, and its worker's first batch may have it.
        if let folder = root.retire(container, keepsFiles: false) { removeTree(folder) }
      }
    }
    let problem = IsolationCheck.problem(
      of: plan, container: containers[0], other: containers[1],
      using: (supervisor.loop, supervisor.registry),
      until: { supervisor.interruption != nil })
    // A check that a signal has ended says nothing, and nothing will be run.
    guard let problem, supervisor.interruption == nil else {
      let reason = request.level == nil ? "it is the strongest and works" : "it was asked for"
      return (IsolationChoice(level: .sandbox, reason: reason), plan)
    }
    root.view = nil
    root.homePlaces = []
    // Where sandboxes work, what was asked of this one is at fault, and nobody wants less for that.
    // Without one every test may do what it would have allowed, but not less.
    if Sandbox.problem() == nil || request.level == .sandbox || request.network == .none
      || !request.scratch.isEmpty || !request.home.isEmpty
      || request.clone == .overlay
    {
      throw RunEngineError(.isolationUnavailable, problem)
    }
    return (IsolationChoice(level: .processes, reason: problem), nil)
  }
}
