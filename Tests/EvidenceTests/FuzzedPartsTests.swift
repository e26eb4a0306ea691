import Glibc
import RunModel
import SystemFiles
import TestSupport
import Testing

@testable import Evidence

/// Bundles whose archive is right and whose files are damaged in random ways, as no accident but
/// only somebody's intent makes them: nothing crashes.
@Suite struct FuzzedPartsTests {
  /// Pieces that are put into JSON, so that it stays JSON more often.
  private static let pieces = [
    "null", "true", "-1", "1e999", "18446744073709551616", "\"\"", "\"\\u0000\"", "\"\\ud800\"",
    "[]", "{}", "[[[[[[[[", "{\"a\":", ",", ":", "\"", "\\", "\u{0}", "\u{FF}", "9007199254740993",
    "\"2.0\"", "\"1.99\"", "\"../../x\"", "0.1", "-0", "\"/\"",
  ].map { Array($0.utf8) }

  private func mutate(_ bytes: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      let position = Int.random(in: 0...bytes.count, using: &random)
      let length = min(Int.random(in: 0...20, using: &random), bytes.count - position)
      switch Int.random(in: 0..<4, using: &random) {
      case 0:
        bytes.replaceSubrange(
          position..<position + length, with: Self.pieces.randomElement(using: &random) ?? [])
      case 1: bytes.removeSubrange(position..<position + length)
      case 2:
        // The value of a member.
        guard let colon = bytes[position...].firstIndex(of: UInt8(ascii: ":")) else { continue }
        let end =
          bytes[colon...].firstIndex { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "}") }
          ?? bytes.count
        bytes.replaceSubrange(
          colon + 1..<end, with: Self.pieces.randomElement(using: &random) ?? [])
      default:
        if position < bytes.count { bytes[position] = UInt8.random(in: 0...255, using: &random) }
      }
    }
    return bytes
  }

  @Test(arguments: ["manifest.json", "events.jsonl", "command.json", "redactions.json"])
  func damagedFilesDoNoHarm(_ name: String) throws {
    let scratch = try Scratch()
    let manifest = try encodedJSON(BundleManifest.sample())
    let header = RunHeader(
      runID: "r", carrel: "0", packagePath: "/p", arguments: ["run"], workers: 1, batch: "auto",
      retries: 0, timeLimit: nil, leaksFail: true, isolation: "directories", seed: "s",
      toolchain: "t", hostName: "h", passedVariables: ["CI"])
    var report = RedactionReport(isEnabled: true)
    report.add(ByteName(bytes: [0xFF, 65]), ["jwt": 2])
    let good: [String: [UInt8]] = [
      "manifest.json": manifest,
      "events.jsonl": try encodedJSON(RunEvent(time: 1, .runStarted(header))) + [10],
      "command.json": try encodedJSON(
        RecordedCommand(
          executable: "/x", arguments: ["a"], environment: ["A": "B"], directory: nil,
          container: "/c")),
      "redactions.json": try encodedJSON(report),
    ]
    let bytes = try #require(good[name])
    let reader = BundleReader(path: "\(scratch.path)/b.tar")
    var random = SeededGenerator(seed: UInt64(name.utf8.count))
    var readable = 0
    for round in 0..<1_500 {
      let damaged = round == 0 ? bytes : mutate(bytes, &random)
      var tar = TarBuilder()
      for other in ["manifest.json", "events.jsonl", "command.json", "redactions.json"] {
        tar.add(Array(other.utf8), data: other == name ? damaged : good[other] ?? [])
      }
      tar.finish()
      try scratch.write("b.tar", tar.bytes)
      func attempt<T>(_ body: () throws -> T?) {
        do {
          if try body() != nil { readable += 1 }
        } catch is EvidenceError {
        } catch {
          Issue.record("\(error) for \(damaged)")
        }
      }
      attempt { try reader.manifest() }
      attempt { try reader.runHeader() }
      attempt { try reader.command() }
      attempt { try reader.redactions() }
      if round.isMultiple(of: 100) { _ = try reader.verify() }
    }
    // The three others always, and this one now and then.
    #expect(readable > 3 * 1_500)
  }

  /// Archives that other programs make, in each of their formats.
  @Test(arguments: [
    ["tar", "--format=ustar"], ["tar", "--format=oldgnu"], ["tar", "--format=gnu"],
    ["tar", "--format=pax"], ["bsdtar", "--format=ustar"], ["bsdtar", "--format=gnutar"],
    ["bsdtar", "--format=pax"],
  ])
  func archivesOfOthersAreRead(_ program: [String]) async throws {
    let scratch = try Scratch()
    let long = String(repeating: "l", count: 90)
    try scratch.write("box/\(long)/a b.txt", Array("text".utf8), mode: 0o640)
    try scratch.write("box/\(long)/ümlaut", [UInt8](repeating: 7, count: 1025))
    try scratch.write("box/empty", "")
    symlink("\(long)/a b.txt", "\(scratch.path)/box/link")
    if program[1].hasSuffix("gnu") || program[1].hasSuffix("gnutar") || program[1].hasSuffix("pax")
    {
      let name = "box/\(String(repeating: "n", count: 200))"
      try scratch.write("\(name)/\(String(repeating: "m", count: 200))", "deep")
    }
    let made = try await runProcess(
      // Without filling up the last record, for nothing follows the end of a bundle.
      program + ["-b", "1", "-cf", "\(scratch.path)/b.tar", "-C", scratch.path, "box"],
      environment: ["PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"])
    #expect(made.status == 0, "\(made.errorText)")
    let reader = try TarReader(path: "\(scratch.path)/b.tar", limits: BundleLimits())
    var found: [String: [UInt8]] = [:]
    var kinds: [String: ArchiveEntryKind] = [:]
    while let entry = try reader.next() {
      let name = try #require(entry.path.text)
      #expect(kinds.updateValue(entry.kind, forKey: name) == nil, "\(name) is there twice")
      if entry.kind == .file { found[name] = try reader.readData(maxBytes: 1 << 20) }
      if entry.kind == .symlink { #expect(entry.linkTarget?.text == "\(long)/a b.txt") }
      if name.hasSuffix("a b.txt") { #expect(entry.mode & 0o777 == 0o640) }
    }
    let names = try await runProcess(
      ["find", "box"], environment: ["PATH": "/usr/bin:/bin"], folder: scratch.path)
    #expect(Set(kinds.keys) == Set(names.text.split(separator: "\n").map(String.init)))
    #expect(kinds["box"] == .folder && kinds["box/link"] == .symlink)
    for (name, bytes) in found { #expect(try scratch.bytes(name) == bytes, "\(name)") }
    #expect(found.count >= 3)
  }
}
