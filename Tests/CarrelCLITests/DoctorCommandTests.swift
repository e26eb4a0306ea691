import RunEngine
import Testing

@testable import CarrelCLI

@Suite struct DoctorCommandTests {
  @Test func findingsAreLinesWithTheirFixes() {
    let lines = DoctorCommand.lines([
      .init(name: "cache", status: .ok, message: "it is there", fix: nil),
      .init(name: "open files", status: .warning, message: "few", fix: "ulimit -n 1024"),
      .init(name: "toolchain", status: .failure, message: "none", fix: "install one"),
    ])
    #expect(
      lines == [
        "ok       cache       it is there", "WARNING  open files  few",
        "         fix: ulimit -n 1024", "FAILURE  toolchain   none", "         fix: install one",
      ])
  }
}
