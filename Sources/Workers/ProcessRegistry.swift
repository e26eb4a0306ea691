import CSystem
import Glibc

/// The children that a supervisor knows of, so that the rest of them are adopted orphans.
package final class ProcessRegistry {
  private var known: Set<Int32> = []
  /// Adopted ones whose scope cannot be told, however often one looks.
  private var opaque: Set<Int32> = []
  /// Number of orphans on their way here that somebody will claim.
  private var expected = 0
  private let ownsAllChildren: Bool
  private var maker: SandboxMaker?
  /// The maker and the first processes of sandboxes.
  package private(set) var attendants: Set<Int32> = []

  /// Makes the process adopt orphaned descendants.
  ///
  /// - Parameters:
  ///   - ownsAllChildren: Whether every child of this process was started through this
  ///   registry, or descends from one that was. Only then may it reap and end those that no scope
  ///   claims.
  ///   - adoptsOrphans: Whether the process shall adopt them; one that is not Carrel's own must
  ///     not.
  /// - Throws: ``WorkersError`` with code `system`.
  package init(
    ownsAllChildren: Bool, adoptsOrphans: Bool = true
  ) throws(WorkersError) {
    self.ownsAllChildren = ownsAllChildren
    guard !adoptsOrphans || carrel_become_subreaper() == 0 else {
      throw WorkersError(.system, "cannot become a subreaper", errorNumber: errno)
    }
  }

  /// - Parameter isAttendant: Whether it is one of Carrel's own and does nothing by itself.
  func add(_ pid: Int32, isAttendant: Bool = false) {
    known.insert(pid)
    if isAttendant { attendants.insert(pid) }
  }

  func remove(_ pid: Int32) {
    known.remove(pid)
    attendants.remove(pid)
  }

  /// Reaps adopted processes that have ended and that nobody will claim.
  func reapAdopted() {
    for orphan in adopted() where ProcessTable.status(of: orphan)?.isZombie == true {
      reap(orphan)
    }
  }

  /// Ends the process that makes sandboxes.
  package func endMaker() {
    if let maker { remove(maker.pid) }
    maker = nil
  }

  /// Says that an orphan will be adopted whose end somebody wants to know; ``claim(_:)`` follows.
  func expectOrphan() { expected += 1 }

  /// - Parameter pid: The orphan; `nil` when it does not come after all.
  func claim(_ pid: Int32?) {
    expected -= 1
    if let pid { add(pid) }
  }

  /// Reaps an adopted process that has ended, if it cannot be one that is expected.
  ///
  /// - Parameter isOwn: Whether it is known to descend from a process that was started here.
  func reap(_ pid: Int32, isOwn: Bool = false) {
    guard isOwn || ownsAllChildren, expected == 0 else { return }
    var status: Int32 = -1
    var signal: Int32 = -1
    _ = carrel_reap(pid, &status, &signal)
  }

  /// Starts the process that makes sandboxes, unless there is one: the earlier, the smaller it is.
  ///
  /// - Throws: ``WorkersError`` with code `system`.
  package func prepareForSandboxes() throws(WorkersError) { _ = try sandboxMaker() }

  private func sandboxMaker() throws(WorkersError) -> SandboxMaker {
    if let maker { return maker }
    let made = try SandboxMaker()
    add(made.pid, isAttendant: true)
    maker = made
    return made
  }

  func makeSandbox(_ configuration: Sandbox.Configuration) throws(WorkersError) -> SandboxMaker.Made
  {
    if let made = try sandboxMaker().make(configuration) { return made }
    // Somebody has killed it.
    endMaker()
    guard let made = try sandboxMaker().make(configuration) else {
      throw WorkersError(.sandbox, "the process that makes sandboxes ends at once")
    }
    return made
  }

  func adopted() -> [Int32] {
    let adopted = ProcessTable.children().filter { !known.contains($0) }
    // The number of one that is gone may become somebody else's.
    opaque.formIntersection(adopted)
    return adopted
  }

  /// Remembers that nobody needs to wait for the environment of an adopted process.
  func markOpaque(_ orphan: Int32) { opaque.insert(orphan) }
  func isOpaque(_ orphan: Int32) -> Bool { opaque.contains(orphan) }
}

extension ProcessRegistry {
  /// Ends every adopted process that no scope claimed. Only descendants of processes that were
  /// started here can be among them.
  package func endAdopted() {
    guard ownsAllChildren else { return }
    var rounds = 0
    while case let orphans = adopted(), !orphans.isEmpty, rounds < 100 {
      rounds += 1
      for orphan in orphans {
        let descriptor = carrel_pidfd_open(orphan)
        if descriptor >= 0 {
          _ = carrel_pidfd_signal(descriptor, SIGKILL)
          var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
          _ = poll(&wait, 1, 1000)
          close(descriptor)
        }
        reap(orphan)
      }
    }
  }
}
