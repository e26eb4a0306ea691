import RunModel
import SwiftTests
import Testing
import Workers

@testable import RunEngine

/// How limits that a test has met are named.
@Suite struct LimitHintsTests {
  private let all = ResourceLimits(
    memory: 256 << 20, processes: 40, files: 100, disk: 8 << 20, cpus: 1, silence: 2)

  private func sentences(_ change: (inout LimitHints) -> Void) -> [String] {
    var hints = LimitHints(limits: all)
    hints.isSandboxed = true
    change(&hints)
    return hints.sentences
  }

  @Test func eachLimitIsNamedWithItsValueAndOption() {
    #expect(sentences { _ in }.isEmpty)
    #expect(
      sentences { $0.time = 3 } == [
        "--timeout raises the limit of 3 s for a test", "--cpus raises the limit of 1 core",
      ])
    #expect(
      sentences { $0.silence = 2 }.first == "--silence-limit raises the limit of 2 s on silence")
    #expect(
      sentences {
        $0.memoryKills = 1
        $0.folders = [
          .init(path: "/dev/shm", used: 200 << 20, isFull: false),
          .init(path: "/tmp", used: 4096, isFull: false),
        ]
      } == [
        "--memory-limit raises the memory limit of 256 MiB; files in /dev/shm (200.0 MiB) are in "
          + "memory, too, and count against it"
      ])
    #expect(
      sentences { $0.refusals = 1 } == [
        "--process-limit raises the limit of 40 processes and threads"
      ])
    #expect(
      sentences { $0.signs = [.files] } == [
        "a process of the test had as many open files as it may; --file-limit raises the limit of "
          + "100"
      ])
    let raised = "--disk-limit raises the disk limit of 8 MiB"
    #expect(sentences { $0.isDiskLimitMet = true } == [raised])
    #expect(
      sentences { $0.signs = [.fileSize, .space] } == [
        "a process of the test wrote as much to a file as it may; \(raised)"
      ])
    #expect(
      sentences { $0.signs = [.full(folder: "/tmp"), .space] } == [
        "'/tmp' can hold no more; \(raised), which each of these folders has"
      ])
  }

  /// What is not limited is not named.
  @Test func onlyLimitsOfTheRunAreNamed() {
    var hints = LimitHints(limits: ResourceLimits())
    hints.signs = [.files, .processes, .memory, .space, .fileSize]
    hints.memoryKills = 1
    hints.refusals = 1
    #expect(hints.sentences.isEmpty)
    hints.isSandboxed = true
    hints.signs = [.full(folder: "/dev/shm")]
    #expect(hints.sentences.first?.hasPrefix("'/dev/shm' is full: it is in memory") == true)
  }
}
