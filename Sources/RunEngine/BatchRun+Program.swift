import RunModel
import Workers

/// A program that a person uses where a batch's process would be: a shell, or a debugger.
extension BatchRun {
  /// Starts it with a terminal of its own when Carrel has one, else with Carrel's descriptors.
  func launch(inPlace program: ProcessRequest) throws {
    isReplaced = true
    var program = program
    program.limits = processLimits
    program.inherited = [0, 1, 2]
    if PseudoTerminal.isWanted {
      let terminal = try PseudoTerminal(loop: session.supervisor.loop)
      self.terminal = terminal
      program.inherited = [terminal.descriptor, terminal.descriptor, terminal.descriptor]
      program.takesTerminal = true
    }
    session.logStart(of: spec, .cold)
    launchCold(program)
  }

  /// What comes of a batch whose process was replaced: its end, and no results.
  func conclude(program end: ProcessEnd) {
    terminal?.close()
    intents?.closeIndex(isEvidence: false)
    onEnd(
      self,
      Ended(
        results: [], startCost: nil, duration: monotonicSeconds() - startedAt, end: end,
        startOrder: [], request: request))
  }
}
