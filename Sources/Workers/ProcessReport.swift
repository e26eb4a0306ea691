import Glibc
import Synchronization
import SystemFiles

/// What `/proc` says about processes that hang: a text for people that grows while it is collected.
///
/// The file of a stuck process can block its reader (proc(5) does not say so, but a process that
/// holds its own memory map's lock does that), so it is collected on a thread that nobody waits
/// for: whoever needs the text takes what is there.
package final class ProcessReport: Sendable {
  /// Most bytes of the text.
  package static let mostBytes = 640 << 10
  static let mostProcesses = 200
  static let mostThreads = 256
  static let mostFiles = 256

  private struct State {
    var bytes: [UInt8] = []
    var isFull = false
    var mainThread: String?
    var pipeHolders: [PipeHolder] = []
  }

  /// A process that keeps a process which reads a pipe from seeing its end.
  package struct PipeHolder: Hashable, Sendable {
    package var pid: Int32
    package var command: String
    /// `the pipe that it reads as file 5`.
    package var what: String
  }

  private let state = Mutex(State())

  package init() {}

  /// The text so far; whole lines.
  package var bytes: [UInt8] { state.withLock { $0.bytes } }

  /// What the main thread of the first process does: `in hrtimer_nanosleep, clock_nanosleep(0)`;
  /// `nil` as long as nobody knows.
  package var mainThread: String? { state.withLock { $0.mainThread } }

  /// Processes that hold the writing end of a pipe which the first process reads, or, when their
  /// parents have ended, sockets that they may have of it.
  package var pipeHolders: [PipeHolder] { state.withLock { $0.pipeHolders } }

  /// Collects what can be said of some processes and all that descend from them or are in their
  /// sessions.
  ///
  /// - Parameters:
  ///   - roots: Processes with what they are: `the test's process`.
  ///   - others: PIDs of more processes that belong to them.
  ///   - scope: Value of ``SupervisedProcess/scopeVariable`` by which orphans are known.
  package func collect(roots: [(pid: Int32, title: String)], others: [Int32], scope: String) {
    let table = Self.table()
    let pids = Self.family(of: roots.map(\.pid), others, scope: scope, in: table)
    add("processes\n")
    addTree(pids, table, titles: Dictionary(roots.map { ($0.pid, $0.title) }) { first, _ in first })
    if let root = roots.first?.pid { findHolders(of: root, among: pids, table) }
    for pid in pids.prefix(Self.mostProcesses) {
      addDetails(pid, isFirst: pid == roots.first?.pid)
    }
    if pids.count > Self.mostProcesses {
      add("\n\(pids.count - Self.mostProcesses) more processes are left out\n")
    }
  }

  private func add(_ text: String) {
    state.withLock { state in
      guard !state.isFull else { return }
      guard state.bytes.count + text.utf8.count <= Self.mostBytes else {
        state.isFull = true
        return state.bytes += "[carrel: the rest is left out]\n".utf8
      }
      state.bytes += text.utf8
    }
  }

  private typealias Status = (parent: Int32, group: Int32, session: Int32, isZombie: Bool)

  /// What the scope of a debugger ends with that looks at the processes and is none of them.
  package static let debuggerSuffix = "-stacks"

  private static func table() -> [Int32: Status] {
    var table: [Int32: Status] = [:]
    for pid in ProcessTable.all() { table[pid] = ProcessTable.status(of: pid) }
    return table
  }

  /// The processes that belong together, parents before their children.
  private static func family(
    of roots: [Int32], _ others: [Int32], scope: String, in table: [Int32: Status]
  ) -> [Int32] {
    var members = Set(others + roots).intersection(table.keys)
    let own = getpid()
    for (pid, status) in table {
      if roots.contains(status.session) || roots.contains(status.group) { members.insert(pid) }
      // Its parent has ended, and it may have left the session.
      if status.parent == own, !members.contains(pid),
        let its = ProcessTable.environment(of: pid)?[SupervisedProcess.scopeVariable],
        its == scope || its.hasPrefix(scope + "-"), !its.hasSuffix(debuggerSuffix)
      {
        members.insert(pid)
      }
    }
    var children: [Int32: [Int32]] = [:]
    for (pid, status) in table { children[status.parent, default: []].append(pid) }
    var order: [Int32] = []
    var seen: Set<Int32> = []
    func visit(_ pid: Int32) {
      guard seen.insert(pid).inserted else { return }
      order.append(pid)
      for child in (children[pid] ?? []).sorted() { visit(child) }
    }
    let tops = members.filter { !members.contains(table[$0]?.parent ?? 0) }
    for root in roots where tops.contains(root) { visit(root) }
    for top in tops.sorted() { visit(top) }
    return order
  }

  private func addTree(_ pids: [Int32], _ table: [Int32: Status], titles: [Int32: String]) {
    var depths: [Int32: Int] = [:]
    for pid in pids.prefix(Self.mostProcesses) {
      let depth = depths[table[pid]?.parent ?? 0].map { $0 + 1 } ?? 0
      depths[pid] = depth
      let command = Self.shown(ProcessTable.command(of: pid))
      let title = titles[pid].map { "  (\($0))" } ?? ""
      add("  \(String(repeating: "  ", count: min(depth, 20)))\(pid) \(command)\(title)\n")
    }
  }

  private func findHolders(of root: Int32, among pids: [Int32], _ table: [Int32: Status]) {
    let own = ProcessTable.pipeEnds(of: root)
    let readers = own.filter { $0.value.reads && !$0.value.writes }
    var holders: [PipeHolder] = []
    for pid in pids.prefix(Self.mostProcesses) where pid != root {
      let ends = ProcessTable.pipeEnds(of: pid)
      let held = readers.filter { ends[$0.key]?.writes == true }
      let command = Self.shown(ProcessTable.command(of: pid))
      // Its parent has ended, so nobody waits for it; what Foundation waits at is a socket.
      let isOrphan = !pids.contains(table[pid]?.parent ?? 0)
      if let file = held.map(\.value.file).min() {
        holders.append(
          PipeHolder(
            pid: pid, command: command, what: "the pipe that the test reads as file \(file)"))
      } else if isOrphan, ProcessTable.holdsInheritedSocket(pid) {
        holders.append(
          PipeHolder(pid: pid, command: command, what: "a socket of the child that started it"))
      }
    }
    for holder in holders {
      add("  \(holder.pid) \(holder.command) holds \(holder.what)\n")
    }
    state.withLock { $0.pipeHolders = holders }
  }

  private func addDetails(_ pid: Int32, isFirst: Bool) {
    add("\nprocess \(pid): \(Self.shown(ProcessTable.command(of: pid)))\n")
    let facts = Self.facts(of: "/proc/\(pid)/status")
    let memory = facts["VmRSS"].map { ", memory \($0)" } ?? ""
    add(
      "  parent \(facts["PPid"] ?? "?"), threads \(facts["Threads"] ?? "?")\(memory), blocked "
        + "signals \(facts["SigBlk"] ?? "?"), ignored \(facts["SigIgn"] ?? "?")\n")
    if let folder = Self.link("/proc/\(pid)/cwd") { add("  folder \(folder)\n") }
    let threads = ProcessTable.threads(of: pid)
    for thread in threads.prefix(Self.mostThreads) { addThread(thread, of: pid, isFirst: isFirst) }
    if threads.count > Self.mostThreads {
      add("  \(threads.count - Self.mostThreads) more threads are left out\n")
    }
    addFiles(of: pid)
  }

  private func addThread(_ thread: Int32, of pid: Int32, isFirst: Bool) {
    let folder = "/proc/\(pid)/task/\(thread)"
    let facts = Self.facts(of: folder + "/status")
    let place = Self.word(folder + "/wchan").map { $0 == "0" ? "" : " in \($0)" } ?? ""
    let call = Self.word(folder + "/syscall").map { ", " + SystemCallName.text($0) } ?? ""
    let name = Self.shown(facts["Name"] ?? "?")
    if isFirst, thread == pid {
      state.withLock { $0.mainThread = (facts["State"] ?? "gone") + place + call }
    }
    add("  thread \(thread) \"\(name)\": \(facts["State"] ?? "gone")\(place)\(call)\n")
  }

  private func addFiles(of pid: Int32) {
    guard let names = folderEntries("/proc/\(pid)/fd") else {
      return add("  its open files cannot be read\n")
    }
    let numbers = names.compactMap { Int($0) }.sorted()
    for number in numbers.prefix(Self.mostFiles) {
      add("  file \(number) -> \(Self.link("/proc/\(pid)/fd/\(number)") ?? "?")\n")
    }
    if numbers.count > Self.mostFiles {
      add("  \(numbers.count - Self.mostFiles) more open files are left out\n")
    }
  }

  /// The lines `NAME: VALUE` of a file.
  private static func facts(of path: String) -> [String: String] {
    var result: [String: String] = [:]
    for line in String(decoding: readSmallFile(path) ?? [], as: UTF8.self).split(separator: "\n") {
      guard let colon = line.firstIndex(of: ":") else { continue }
      let value = line[line.index(after: colon)...].drop { $0.isWhitespace }
      result[String(line[..<colon])] = String(value)
    }
    return result
  }

  private static func word(_ path: String) -> String? {
    readSmallFile(path).map { String(decoding: $0.prefix { $0 != 10 }, as: UTF8.self) }
  }

  private static func link(_ path: String) -> String? {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = buffer.withUnsafeMutableBytes { bytes in
      bytes.withMemoryRebound(to: CChar.self) { chars in
        chars.baseAddress.map { readlink(path, $0, chars.count) } ?? -1
      }
    }
    return count >= 0 ? shown(String(decoding: buffer.prefix(count), as: UTF8.self)) : nil
  }

  /// Text of a process on one line, at most 1000 characters of it.
  private static func shown(_ text: String) -> String {
    let line = text.map { $0.isNewline ? " " : $0 }
    return String(line.prefix(1000)) + (line.count > 1000 ? "…" : "")
  }
}
