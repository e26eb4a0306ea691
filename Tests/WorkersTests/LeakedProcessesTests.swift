import Glibc
import RunModel
import Testing

@testable import Workers

/// Serial, because a process has only one set of children.
@Suite(.serialized) struct LeakedProcessesTests {
  /// A process that cannot be told to be somebody's, because it has no environment, is waited for
  /// once and not again after each later process.
  @Test func opaqueProcessIsWaitedForOnce() throws {
    let child = try spawnWithoutEnvironment()
    defer {
      kill(child, SIGKILL)
      waitpid(child, nil, 0)
    }
    let loop = try EventLoop()
    let registry = try ProcessRegistry(ownsAllChildren: false, adoptsOrphans: false)
    /// Whether nothing had to be waited for.
    func endsAtOnce() -> Bool {
      var found: [Leak]?
      let origin = LeakedProcesses.Origin(
        pid: .max, scope: "leaked-processes-tests", wasKilled: false, pipes: [:])
      LeakedProcesses(of: origin, in: nil, grace: 0, loop: loop, registry: registry) { found = $0 }
        .begin()
      let isAtOnce = found != nil
      loop.run { found != nil }
      #expect(found == [])
      return isAtOnce
    }
    #expect(!endsAtOnce())
    #expect(registry.isOpaque(child))
    // Other tests start processes at the same time, each of which has no environment for a moment.
    #expect((0..<10).contains { _ in endsAtOnce() })
    #expect(kill(child, 0) == 0)
  }

  /// One that is gone is forgotten, since its number may become another's.
  @Test func processThatIsGoneIsForgotten() throws {
    let registry = try ProcessRegistry(ownsAllChildren: false, adoptsOrphans: false)
    let child = try spawnWithoutEnvironment()
    registry.markOpaque(child)
    #expect(registry.adopted().contains(child) && registry.isOpaque(child))
    kill(child, SIGKILL)
    waitpid(child, nil, 0)
    _ = registry.adopted()
    #expect(!registry.isOpaque(child))
  }

  private func spawnWithoutEnvironment() throws -> Int32 {
    var child: pid_t = 0
    var arguments: [UnsafeMutablePointer<CChar>?] = [strdup("sleep"), strdup("1239"), nil]
    defer { for argument in arguments { free(argument) } }
    var environment: [UnsafeMutablePointer<CChar>?] = [nil]
    try #require(posix_spawn(&child, "/bin/sleep", nil, nil, &arguments, &environment) == 0)
    return child
  }
}
