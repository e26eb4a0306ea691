import RunModel
import SystemFiles
import Testing

@testable import Evidence

/// Which records a policy removes; no files are needed for that.
@Suite struct PruningTests {
  /// A finished run that started at so many seconds, with so many bytes of its own.
  private func run(
    at time: Double, bytes: Int = 100, linked: [FileIdentity: DiskUsage.LinkedFile] = [:],
    obstacle: RunRecord.RemovalObstacle? = nil
  ) -> RunOverview {
    RunOverview(
      record: RunRecord(path: "/runs/\(RunIdentifier.make(at: time))"),
      state: .finished(RunFinish(exitCode: 0, duration: 1)), startedAt: time,
      usage: DiskUsage(own: bytes, linked: linked), obstacle: obstacle)
  }

  private func file(_ number: UInt64) -> FileIdentity { FileIdentity(device: 1, inode: number) }

  private func removed(
    _ overviews: [RunOverview], _ policy: Pruning.Policy, latest: RunRecord? = nil
  ) -> [Double?] {
    Pruning(overviews, latest: latest, policy: policy).removed.map(\.overview.startedAt)
  }

  @Test func countAgeAndSize() {
    let runs = (1...5).map { run(at: Double($0) * 1000) }
    #expect(removed(runs, .init(keep: 5)) == [])
    #expect(removed(runs, .init(keep: 2)) == [1000, 2000, 3000])
    #expect(removed(runs, .init(oldest: 3000)) == [1000, 2000])
    #expect(removed(runs, .init(maxBytes: 300)) == [1000, 2000])
    #expect(removed(runs, .init(maxBytes: 299)) == [1000, 2000, 3000])
    #expect(removed(runs, .init(keep: 4, oldest: 3000)) == [1000, 2000])
    // The newest stays, and so does the one that a person calls the latest.
    #expect(removed(runs, .init(maxBytes: 1)) == [1000, 2000, 3000, 4000])
    #expect(removed(runs, .init(oldest: 1e12)) == [1000, 2000, 3000, 4000])
    #expect(removed(runs, .init(oldest: 1e12), latest: runs[1].record) == [1000, 3000, 4000])
  }

  /// What is being written stays; it is one of the newest and takes room.
  @Test func runsThatGoOnCount() {
    let runs = [
      run(at: 1000), run(at: 2000, obstacle: .isBeingWritten), run(at: 3000),
    ]
    #expect(removed(runs, .init(keep: 2)) == [1000])
    let pruning = Pruning(runs, latest: nil, policy: .init(maxBytes: 100))
    #expect(pruning.removed.map(\.overview.startedAt) == [1000])
    #expect(pruning.left.map(\.record) == [runs[1].record])
  }

  /// A folder that is no record does not stand in for a run, nor does it make runs go.
  @Test func whatIsNoRecordCountsForNothing() {
    let folder = run(at: 1500, bytes: 1 << 40, obstacle: .noRecord("it has no events.jsonl"))
    let newest = run(at: 9000, bytes: 1 << 40, obstacle: .noRecord("it is a link"))
    let runs = [run(at: 1000), folder, run(at: 2000), run(at: 3000), newest]
    #expect(removed(runs, .init(keep: 1)) == [1000, 2000])
    #expect(removed(runs, .init(keep: 2)) == [1000])
    #expect(removed(runs, .init(maxBytes: 300)) == [])
    #expect(removed(runs, .init(maxBytes: 250)) == [1000])
    let old = Pruning(runs, latest: nil, policy: .init(oldest: 1e12))
    #expect(old.removed.map(\.overview.startedAt) == [1000, 2000])
    #expect(old.left.map(\.record) == [folder.record, newest.record])
  }

  /// Two runs and their merge have the same files.
  @Test func filesWithSeveralNamesCountOnce() {
    let linked = DiskUsage.LinkedFile(bytes: 1000, names: 1, links: 2)
    let runs = [
      run(at: 1000, linked: [file(1): linked]), run(at: 2000, linked: [file(2): linked]),
      run(at: 3000, linked: [file(1): linked, file(2): linked]), run(at: 4000),
    ]
    // 4 × 100 and 2 × 1000.
    #expect(removed(runs, .init(maxBytes: 2400)) == [])
    #expect(removed(runs, .init(maxBytes: 2399)) == [1000])
    // The first two free only what is their own.
    #expect(removed(runs, .init(maxBytes: 2200)) == [1000, 2000])
    let pruning = Pruning(runs, latest: nil, policy: .init(maxBytes: 2199))
    #expect(pruning.removed.map(\.overview.startedAt) == [1000, 2000, 3000])
    #expect(pruning.removed.map(\.freed) == [100, 100, 2100])
  }

  /// A file that has a name elsewhere, too, stays on the disk.
  @Test func whatHasANameElsewhereIsNotFreed() {
    let linked = DiskUsage.LinkedFile(bytes: 1000, names: 2, links: 3)
    let runs = [run(at: 1000, linked: [file(1): linked]), run(at: 2000)]
    let pruning = Pruning(runs, latest: nil, policy: .init(maxBytes: 150))
    #expect(pruning.removed.map(\.freed) == [100])
    #expect(runs[0].usage.bytes == 1100 && runs[0].usage.freed == 100)
  }
}
