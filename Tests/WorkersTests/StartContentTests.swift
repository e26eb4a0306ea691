import CSystem
import Glibc
import TestSupport
import Testing

@testable import Workers

/// What the C module makes of a request; see `start.h`.
struct StartContentTests {
  /// - Returns: The error with which a process was refused; 0 when one was started and has ended.
  private func error(of content: [UInt8]) -> Int32 {
    var pidfd: Int32 = -1
    let pid = content.withUnsafeBytes { content in
      var request = carrel_spawn_request(
        content: content.bindMemory(to: CChar.self).baseAddress, content_size: content.count,
        descriptors: nil, descriptor_count: 0, groups: nil, group_count: 0)
      return carrel_spawn(&request, &pidfd)
    }
    guard pid > 0 else { return errno }
    waitpid(pid, nil, 0)
    close(pidfd)
    return 0
  }

  @Test func completeRequestIsStarted() {
    let request = ProcessRequest(
      executable: "/bin/true", arguments: [], environment: [:], scope: "test")
    #expect(error(of: request.encoded) == 0)
    // Neither limits nor variables.
    #expect(error(of: Array("\00\01\0/bin/true\0".utf8)) == 0)
  }

  /// The mask is that of the process which is started, not of the one that starts it.
  @Test(arguments: [0o000, 0o027, 0o077] as [UInt32])
  func maskOfNewFilesIsTaken(mask: UInt32) throws {
    let before = ownFileMask()
    let folder = try TemporaryFolder()
    let path = folder.path(of: "file")
    let request = ProcessRequest(
      executable: "/usr/bin/touch", arguments: [path], environment: [:], scope: "test",
      limits: .adding(fileMask: mask, to: nil))
    #expect(error(of: request.encoded) == 0)
    var status = stat()
    #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o666 & ~mask)
    #expect(before != nil && ownFileMask() == before)
  }

  @Test func limitsKeepWhatTheyAreWithoutAMask() {
    let limits = ProcessLimits(processors: [3])
    #expect(ProcessLimits.adding(fileMask: nil, to: limits) == limits)
    #expect(ProcessLimits.adding(fileMask: nil, to: nil) == nil)
    #expect(ProcessLimits.adding(fileMask: 0o22, to: limits)?.lines == ["processor 3", "umask 18"])
  }

  @Test(arguments: [
    "", "\0", "/\00\0", "\00\00\0", "\00\01\0", "\00\01\0/bin/true", "\01\01\0/bin/true\0",
    "\00\02\0/bin/true\0", "\099999999999999999999\01\0/bin/true\0", "\0processor\0\0/bin/true\0",
    "\01\01\0processor 8192\0/bin/true\0",
  ])
  func brokenRequestIsRefused(content: String) {
    #expect(error(of: Array(content.utf8)) == EINVAL)
  }

  @Test func whatTheSystemRefusesIsTold() {
    #expect(error(of: Array("/nowhere\00\01\0/bin/true\0".utf8)) == ENOENT)
    #expect(error(of: Array("\00\01\0/nowhere\0".utf8)) == ENOENT)
    #expect(error(of: Array("\01\01\0999 1\0/bin/true\0".utf8)) == EINVAL)
  }
}
