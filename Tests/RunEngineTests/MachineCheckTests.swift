import Glibc
import TestSupport
import Testing
import Workers

@testable import RunEngine

/// Serial, because a process has only one set of children.
@Suite(.serialized) struct MachineCheckTests {
  private func findings(
    _ environment: [String: String], work: String
  ) -> [String: MachineCheck.Finding] {
    let all = MachineCheck(environment: environment, package: "/", workFolder: work).findings()
    return Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })
  }

  @Test func whatIsMissingIsNamedWithAFix() throws {
    let folder = try TemporaryFolder()
    // A file in the place of a folder.
    let work = folder.path(of: "work")
    close(open(work, O_CREAT | O_WRONLY, 0o600))
    let found = findings(["PATH": folder.path], work: work)
    for name in ["toolchain", "containers"] {
      let finding = try #require(found[name])
      #expect(finding.status == .failure && finding.fix?.isEmpty == false, "\(finding)")
    }
    #expect(found["containers"]?.fix == WorkRoot.advice)
  }

  @Test func aSandboxIsTried() throws {
    let folder = try TemporaryFolder()
    let found = findings([:], work: folder.path)
    let sandbox = try #require(found["sandbox"])
    let works = Sandbox.problem() == nil
    #expect((sandbox.status == .ok) == works && (sandbox.fix == nil) == works, "\(sandbox)")
    #expect(found["containers"]?.status == .ok)
    #expect(found["disk of containers"]?.message.contains("MiB are free at ") == true)
  }
}
