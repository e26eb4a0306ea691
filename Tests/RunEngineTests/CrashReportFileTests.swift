import Evidence
import Glibc
import SwiftTests
import SystemFiles
import TestSupport
import Testing
import Workers

@testable import RunEngine

@Suite struct CrashReportFileTests {
  private func folder(_ files: [String: String]) throws -> TemporaryFolder {
    let folder = try TemporaryFolder(name: "evidence ä")
    for (name, text) in files { try writeSmallFile(folder.path(of: name), Array(text.utf8)) }
    return folder
  }

  @Test func reportsAreKnownByTheirNames() throws {
    let folder = try folder([
      "my-app-4711-0.json": "", "A ä-12-345.log": "", "plain.json": "", "a-b.json": "",
      "a-x1-0.json": "", "notes-": "",
    ])
    mkdir(folder.path(of: "folder-1-0.json"), 0o700)
    symlink("/etc/passwd", folder.path(of: "link-1-0.json"))
    mkfifo(folder.path(of: "fifo-1-0.json"), 0o600)
    let reports = CrashReportFile.all(in: folder.path)
    #expect(reports.map(\.name) == ["A ä-12-345.log", "my-app-4711-0.json"])
    #expect(reports.map(\.pid) == [12, 4711])
    #expect(reports.map(\.path) == reports.map { folder.path(of: $0.name) })
    #expect(CrashReportFile.all(in: folder.path(of: "missing")).isEmpty)
  }

  @Test func timeIsThatOfTheLastWrite() throws {
    let folder = try folder(["a-1-0.json": ""])
    var times = [timespec(tv_sec: 5, tv_nsec: 0), timespec(tv_sec: 1000, tv_nsec: 500_000_000)]
    #expect(utimensat(AT_FDCWD, folder.path(of: "a-1-0.json"), &times, 0) == 0)
    #expect(CrashReportFile.all(in: folder.path).map(\.writtenAt) == [1000.5])
  }

  @Test(arguments: ["json", "log"])
  func collectedReportsMakeRoomForTheNext(ending: String) throws {
    let folder = try folder(["my-app-9-0.\(ending)": "first"])
    let first = try #require(CrashReportFile.all(in: folder.path).first)
    #expect(!first.isCollected)
    first.collect(as: 1)
    try writeSmallFile(folder.path(of: "my-app-9-0.\(ending)"), Array("second".utf8))
    let reports = CrashReportFile.all(in: folder.path)
    #expect(reports.map(\.name) == ["my-app-9-0.\(ending)", "my-app-9-carrel1.\(ending)"])
    #expect(reports.map(\.isCollected) == [false, true])
    #expect(reports.map(\.pid) == [9, 9])
    #expect(reports.map { readSmallFile($0.path) } == [Array("second".utf8), Array("first".utf8)])
  }

  @Test(
    arguments: [
      ("{\"description\":\"Illegal instruction\",\"threads\":[]}", "Illegal instruction"),
      ("{\"threads\":[]}", nil), ("Thread 0 crashed", nil), ("", nil), ("[1]", nil),
    ] as [(String, String?)])
  func summaryIsTheReportsOwn(text: String, summary: String?) throws {
    let folder = try folder(["a-1-0.json": text])
    #expect(
      CrashReportFile.all(in: folder.path).map { $0.summary(package: "/p").description } == [
        summary
      ])
  }

  /// Registers and memory can hold secrets, wherever in a report they are.
  @Test func registersAndMemoryAreTakenOut() throws {
    let text = """
      {"capturedMemory":{"0x1":"53 45"},"description":"Bad pointer \\"x\\"","faultAddress":"0x8",
       "threads":[{"crashed":true,"registers":{"rax":"0x5345"},
                   "frames":[{"address":"0xffffffffffffffff","inlined":false,"offset":12,
                              "deep":[[{"registers":1,"capturedMemory":[],"kept":null}]]}]},
                  {"registers":[1.5]}],
       "time":1.25,"large":1e300,"minus":-3,"word":"registers"}
      """
    let folder = try folder(["a-1-0.json": text])
    let report = try #require(CrashReportFile.all(in: folder.path).first)
    let (bytes, removed) = try #require(report.shareable())
    #expect(removed == ["crash-memory": 5])
    let wanted = """
      {"description":"Bad pointer \\"x\\"","faultAddress":"0x8",
       "threads":[{"crashed":true,
                   "frames":[{"address":"0xffffffffffffffff","inlined":false,"offset":12,
                              "deep":[[{"kept":null}]]}]},
                  {}],
       "time":1.25,"large":1e300,"minus":-3,"word":"registers"}
      """
    // Nothing is taken out of what is wanted, so that only its form changes.
    #expect(bytes == redactedCrashReport(Array(wanted.utf8))?.bytes)
    let found = String(decoding: bytes, as: UTF8.self)
    #expect(!found.contains("5345") && !found.contains("53 45") && !found.contains("Memory"))
    #expect(found.contains("\"offset\" : 12\n") && found.hasSuffix("}\n"))
    // The file itself stays as it is.
    #expect(readSmallFile(report.path) == Array(text.utf8))
  }

  @Test(arguments: ["*** Program crashed ***\n", "", "\u{0}"])
  func whatIsNoJSONStaysAsItIs(text: String) throws {
    let folder = try folder(["a-1-0.log": text])
    let reports = CrashReportFile.all(in: folder.path).map { $0.shareable()?.bytes }
    #expect(reports == [Array(text.utf8)])
  }

  @Test func aReportThatIsGoneHasNothing() throws {
    let folder = try folder(["a-1-0.json": "{}"])
    let report = try #require(CrashReportFile.all(in: folder.path).first)
    unlink(report.path)
    #expect(report.shareable() == nil && report.summary(package: "/p").description == nil)
  }
}
