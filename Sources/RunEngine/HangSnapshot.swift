import Glibc
import RunModel
import SystemFiles
import Workers

/// What the processes of a test that hangs are doing, taken before they are ended; see
/// `docs/bundle-format.md`.
///
/// `/proc` is read on a thread of its own and stacks come from a debugger, both within a fixed
/// time, so that a stuck process is ended although nothing can be found out about it.
final class HangSnapshot {
  /// Seconds after which the processes are ended, whatever is missing.
  static let longest = 3.0
  /// Seconds that the debugger gets.
  static let longestDebugging = 2.5
  /// Most bytes of the debugger's text, and of the end of each stream.
  static let mostStackBytes = 256 << 10
  static let mostOutputBytes = 32 << 10
  /// Most bytes of what the debugger says of its own work.
  static let mostComplaintBytes = 4 << 10

  /// What is to be looked at.
  struct Subject {
    /// Why the processes are ended.
    var reason: String
    var test: TestID?
    var pid: Int32
    /// Processes of the test's apps.
    var apps: [(bundle: String, pid: Int32)]
    /// More processes that belong to the batch.
    var others: [Int32]
    var scope: String
    /// The ends of the streams by name.
    var output: [(name: String, text: String)]
  }

  private let subject: Subject
  private let loop: EventLoop
  private let report = ProcessReport()
  private var debuggers: [Int32: SupervisedProcess] = [:]
  private var debuggingTimers: [EventLoop.Timer] = []
  private var onStopped: (() -> Void)?
  private var stacks: [(pid: Int32, text: [UInt8])] = []
  /// What the debuggers said of their work; worth something when there are no stacks.
  private var complaints: [[UInt8]] = []
  private var left = 0
  private var timer: EventLoop.Timer?
  private var onDone: (() -> Void)?
  private var notes: [String] = []

  /// Begins to collect.
  ///
  /// - Parameters:
  ///   - debugger: Path of `gdb`; `nil` when there is none.
  ///   - onDone: Called once, when everything is there or the time is over.
  init(
    of subject: Subject, debugger: String?, supervisor: Supervisor, onDone: @escaping () -> Void
  ) {
    self.subject = subject
    self.onDone = onDone
    loop = supervisor.loop
    let roots =
      [(subject.pid, "the test's process")] + subject.apps.map { ($0.pid, "app \($0.bundle)") }
    left = 1
    loop.inBackground { [report, others = subject.others, scope = subject.scope] in
      report.collect(roots: roots, others: others, scope: scope)
    } then: { [weak self] in
      self?.partIsDone()
    }
    if let debugger {
      for (pid, _) in roots { start(debugger, on: pid, supervisor) }
    } else {
      notes.append("gdb was not found on PATH, so there are no stacks")
    }
    timer = loop.after(Self.longest) { [weak self] in
      self?.notes.append("not everything was found out within \(Self.longest.formattedSeconds)")
      self?.finish()
    }
  }

  private func start(_ debugger: String, on pid: Int32, _ supervisor: Supervisor) {
    let request = ProcessRequest(
      executable: debugger,
      arguments: [
        // Files are at the same paths inside, where an ordinary user's debugger does not get.
        "-nx", "-batch", "-iex", "set complaints 0", "-iex", "set sysroot /", "-p", "\(pid)", "-ex",
        "set width 0", "-ex", "thread apply all backtrace 64",
      ],
      // No network, and no settings of the user.
      environment: ["PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "DEBUGINFOD_URLS": ""],
      directory: "/", scope: subject.scope + ProcessReport.debuggerSuffix)
    let index = Int32(stacks.count)
    stacks.append((pid, []))
    complaints.append([])
    do throws(WorkersError) {
      let process = try SupervisedProcess(
        request, loop: supervisor.loop, registry: supervisor.registry, leakGrace: 0
      ) { [weak self] stream, bytes in
        self?.take(stream, bytes, of: index)
      } onEnd: { [weak self] _, _ in
        self?.debuggerEnded(index)
      }
      left += 1
      debuggers[index] = process
      debuggingTimers.append(
        loop.after(Self.longestDebugging) { [weak self] in
          guard let self, let process = debuggers[index] else { return }
          notes.append("gdb took too long with process \(pid)")
          process.terminate(grace: 0)
        })
    } catch {
      notes.append("\(error)")
    }
  }

  private func take(_ stream: ProcessStream, _ bytes: UnsafeRawBufferPointer, of index: Int32) {
    let index = Int(index)
    if stream == .stdout {
      stacks[index].text += bytes.prefix(Self.mostStackBytes - stacks[index].text.count)
    } else {
      complaints[index] += bytes.prefix(Self.mostComplaintBytes - complaints[index].count)
    }
  }

  private func debuggerEnded(_ index: Int32) {
    debuggers[index] = nil
    partIsDone()
    goOnWhenStopped()
  }

  private func partIsDone() {
    left -= 1
    if left == 0 { finish() }
  }

  private func finish() {
    guard let onDone else { return }
    self.onDone = nil
    loop.cancel(timer)
    onDone()
  }

  /// Ends what still looks at the processes.
  ///
  /// - Parameter onStopped: Called when no debugger is left; at once when there is none.
  func stop(_ onStopped: @escaping () -> Void) {
    onDone = nil
    self.onStopped = onStopped
    for timer in debuggingTimers + (timer.map { [$0] } ?? []) { loop.cancel(timer) }
    for process in debuggers.values { process.terminate(grace: 0) }
    goOnWhenStopped()
  }

  private func goOnWhenStopped() {
    guard debuggers.isEmpty, let onStopped else { return }
    self.onStopped = nil
    onStopped()
  }

  /// Where the test hung and who keeps it waiting, as far as that was found out: a few lines each.
  var hints: [String] {
    var hints: [String] = []
    if let place = place { hints.append(place) }
    let holders = report.pipeHolders
    for holder in holders.prefix(Self.mostHolders) {
      hints.append(
        "process \(holder.pid) (\(holder.command)), which the test has started, holds "
          + "\(holder.what); readDataToEndOfFile() and waitUntilExit() return when it ends: "
          + "give it other output, such as /dev/null, or end it first")
    }
    if holders.count > Self.mostHolders {
      hints.append("\(holders.count - Self.mostHolders) more processes hold pipes of the test")
    }
    return hints
  }

  private static let mostHolders = 3

  /// The frames of the thread that runs the test; without a debugger, what the main thread waits
  /// in.
  private var place: String? {
    guard let test = subject.test else { return nil }
    let function = String(test.function.prefix { $0 != "(" })
    if let stack = stacks.first(where: { $0.pid == subject.pid })?.text,
      stack.contains(Array("#0 ".utf8))
    {
      let text = String(decoding: demangled(stack), as: UTF8.self)
      guard let lines = HangSummary.lines(ofTest: function, in: text) else {
        return "no thread was in the test when it was ended: it waited for something asynchronous; "
          + "hang.txt has all stacks"
      }
      return (["where it hung:"] + lines).joined(separator: "\n")
    }
    return report.mainThread.map { "where it hung: main thread \($0)" }
  }

  /// The text as it is now, at most about 1 MiB.
  var text: [UInt8] {
    var text = Array("what ran when it was ended: \(subject.reason)\n".utf8)
    if let test = subject.test { text += "test \(test)\n".utf8 }
    for note in notes { text += "note: \(note)\n".utf8 }
    text += "\n".utf8
    text += report.bytes
    for (index, (pid, stack)) in stacks.enumerated() {
      text += "\nstacks of process \(pid), by gdb\n".utf8
      let hasStacks = stack.contains(Array("#0 ".utf8))
      text += hasStacks ? demangled(stack) : stack + complaints[index]
      if stack.count >= Self.mostStackBytes { text += "\n[carrel: the rest is left out]".utf8 }
      text += "\n".utf8
    }
    for (name, end) in subject.output where !end.isEmpty {
      text += "\nthe end of \(name)\n\(end)\n".utf8
    }
    return Array(text.prefix(1 << 20))
  }
}
