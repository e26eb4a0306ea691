import FoundationEssentials
import Glibc
import SystemFiles
import TestSupport
import Testing
import Workers

@testable import CarrelCLI

@Suite struct ReportFileTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder(prefix: "carrel rapport é-") }

  private func bytes(_ name: String) -> [UInt8]? { readSmallFile(folder.path(of: name)) }
  private func names(_ path: String = "") -> [String] {
    (folderEntries(folder.path(of: path)) ?? []).sorted()
  }

  private func failure(_ path: String) throws -> CommandError {
    try #require(
      #expect(throws: CommandError.self) { try ReportFile.write([1], to: path) })
  }

  @Test func missingFoldersAreMade() throws {
    try ReportFile.write(Array("report".utf8), to: folder.path(of: "a/b ü/c/report.xml"))
    #expect(bytes("a/b ü/c/report.xml") == Array("report".utf8))
    #expect(names("a/b ü/c") == ["report.xml"])
    var info = stat()
    #expect(stat(folder.path(of: "a/b ü/c/report.xml"), &info) == 0)
    #expect(info.st_mode & 0o777 == 0o644 & ~currentMask())
  }

  @Test func anOldReportIsReplacedAsAWhole() throws {
    try ReportFile.write(Array("a long old report".utf8), to: folder.path(of: "r"))
    // Whoever reads the old one goes on reading it.
    let reader = open(folder.path(of: "r"), O_RDONLY)
    defer { close(reader) }
    try ReportFile.write(Array("new".utf8), to: folder.path(of: "r"))
    #expect(bytes("r") == Array("new".utf8) && names() == ["r"])
    var buffer = [UInt8](repeating: 0, count: 100)
    #expect(read(reader, &buffer, buffer.count) == 17)
  }

  @Test func aLinkKeepsLeadingToTheReport() throws {
    try ReportFile.write([], to: folder.path(of: "real/r"))
    symlink("real/r", folder.path(of: "link"))
    try ReportFile.write(Array("new".utf8), to: folder.path(of: "link"))
    #expect(bytes("real/r") == Array("new".utf8))
    #expect(names() == ["link", "real"] && names("real") == ["r"])
    var info = stat()
    #expect(lstat(folder.path(of: "link"), &info) == 0 && info.st_mode & S_IFMT == S_IFLNK)
  }

  @Test func aFolderInTheWayIsKept() throws {
    try ReportFile.write([7], to: folder.path(of: "r/inside"))
    let error = try failure(folder.path(of: "r"))
    #expect(error.exitCode == .notWritten)
    #expect(error.message.contains(folder.path(of: "r")) && error.message.contains("folder"))
    #expect(bytes("r/inside") == [7] && names() == ["r"])
  }

  @Test func aFileAsParentIsKept() throws {
    try ReportFile.write([7], to: folder.path(of: "file"))
    let error = try failure(folder.path(of: "file/r"))
    #expect(error.exitCode == .notWritten)
    #expect(error.message.hasSuffix(errorText(ENOTDIR)))
    #expect(bytes("file") == [7] && names() == ["file"])
  }

  @Test func aFolderThatCannotBeWrittenIsNamed() throws {
    chmod(folder.path, 0o755)
    mkdir(folder.path(of: "closed"), 0o555)
    let path = folder.path(of: "closed/r")
    let error = try asOrdinaryUser { try failure(path) }
    #expect(error.exitCode == .notWritten)
    #expect(error.message == "cannot write \(path): \(errorText(EACCES))")
    #expect(names("closed") == [])
  }

  @Test func aFullDeviceIsAnError() throws {
    let error = try failure("/dev/full")
    #expect(error.exitCode == .notWritten)
    #expect(error.message == "cannot write /dev/full: \(errorText(ENOSPC))")
  }

  @Test func aPipeGetsTheBytesThemselves() throws {
    let pipe = try Pipe()
    defer { close(pipe.reader) }
    try ReportFile.write(Array("report".utf8), to: "/proc/self/fd/\(pipe.writer)")
    close(pipe.writer)
    var buffer = [UInt8](repeating: 0, count: 100)
    let count = read(pipe.reader, &buffer, buffer.count)
    #expect(Array(buffer.prefix(count)) == Array("report".utf8))
  }

  /// As with `--junit /dev/stdout >file`: the link in `/dev` stays, and so does what was printed.
  @Test func anOwnOutputThatIsAFileIsWrittenThrough() throws {
    let output = open(folder.path(of: "output"), O_WRONLY | O_CREAT, 0o644)
    defer { close(output) }
    symlink("/proc/self/fd/\(output)", folder.path(of: "stdout"))
    #expect(write(output, "before ", 7) == 7)
    try ReportFile.write(
      Array("report".utf8), to: folder.path(of: "stdout"), outputs: [Terminal(descriptor: output)])
    #expect(write(output, " after", 6) == 6)
    #expect(bytes("output") == Array("before report after".utf8))
    #expect(names() == ["output", "stdout"])
    var info = stat()
    #expect(lstat(folder.path(of: "stdout"), &info) == 0 && info.st_mode & S_IFMT == S_IFLNK)
  }

  private func currentMask() -> mode_t {
    // umask(2) can only be read by setting it; /proc tells it without.
    let status = String(decoding: readSmallFile("/proc/self/status") ?? [], as: UTF8.self)
    let line = status.split(separator: "\n").first { $0.hasPrefix("Umask:") }
    return line.flatMap { mode_t($0.dropFirst(6).drop { $0 == "\t" }, radix: 8) } ?? 0o022
  }
}
