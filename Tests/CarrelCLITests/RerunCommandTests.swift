import Evidence
import Glibc
import RunModel
import SystemFiles
import TestSupport
import Testing
import Workers

@testable import CarrelCLI

@Suite struct RerunCommandTests {
  @Test func aDamagedLogIsTold() throws {
    let folder = try TemporaryFolder()
    let record = try RunRecord.create(
      inRunsFolder: RunRecord.runsFolder(ofPackage: folder.path), at: 1000)
    let test = TestID(product: "P", library: .xctest, name: "M.C/test")
    let log = try record.openEventLog()
    try log.append(RunEvent(time: 1, .testPlanned(TestDescriptor(id: test))))
    try log.append(
      RunEvent(time: 2, .testFinished(TestResult(test: test, verdict: .passed, attempts: 1))))
    try log.append(RunEvent(time: 3, .runFinished(RunFinish(exitCode: 0, duration: 2))))
    try writeFileAtomically(
      try readFile(record.eventsPath, maxBytes: 1 << 20) + Array("garbage\n".utf8),
      to: record.eventsPath)
    let outputs = ["output", "errors"].map { folder.path(of: $0) }
    let descriptors = outputs.map { open($0, O_WRONLY | O_CREAT, 0o600) }
    defer { for descriptor in descriptors { close(descriptor) } }
    let context = CommandContext(
      output: Terminal(descriptor: descriptors[0]), errors: Terminal(descriptor: descriptors[1]),
      environment: [:])
    let parsed = try ParsedArguments(["latest", folder.path], spec: RerunCommand.spec)
    #expect(try RerunCommand.run(parsed, context) == .success)
    let texts = outputs.map { String(decoding: readSmallFile($0) ?? [], as: UTF8.self) }
    #expect(texts[0].contains("every test of run \(record.runID) succeeded"))
    #expect(
      texts[1] == "carrel: warning: '\(record.eventsPath)' is damaged: line 4 cannot be read\n")
  }
}
