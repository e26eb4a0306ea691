import Glibc
import SystemFiles
import TestSupport
import Testing

@testable import Evidence

/// Bundles that were made to fill the disk or the memory.
@Suite struct BundleLimitTests {
  private func bundle(
    _ scratch: Scratch, limits: BundleLimits, _ build: (inout TarBuilder) -> Void
  ) throws -> BundleReader {
    var tar = TarBuilder()
    try tar.addManifest()
    build(&tar)
    tar.finish()
    try scratch.write("b.tar", tar.bytes)
    return BundleReader(path: "\(scratch.path)/b.tar", limits: limits)
  }

  /// The bundle is refused for a limit whatever is done with it, and nothing of it stays.
  private func expectLimit(_ scratch: Scratch, _ reader: BundleReader) throws {
    let check = try reader.verify()
    #expect(check.problems.contains { $0.code == .limit }, "\(check.problems)")
    let listing = #expect(throws: EvidenceError.self) { try reader.entries() }
    #expect(listing?.code == .limit)
    try? makeFolders("\(scratch.path)/empty")
    for target in ["out", "empty"] {
      let error = #expect(throws: EvidenceError.self) {
        try reader.extract(to: "\(scratch.path)/\(target)")
      }
      #expect(error?.code == .limit)
    }
    #expect(
      Set(
        try TreeSnapshot(scratch.path, withModes: false).lines.map {
          String($0.prefix { $0 != " " })
        })
        == ["b.tar", "empty"])
  }

  @Test func totalBytesAreLimited() throws {
    let scratch = try Scratch()
    var limits = BundleLimits()
    limits.totalBytes = 100_000
    try expectLimit(
      scratch,
      try bundle(scratch, limits: limits) { tar in
        for number in 0..<4 {
          tar.add(Array("d/\(number)".utf8), data: [UInt8](repeating: 0, count: 30_000))
        }
      })
  }

  @Test func compressedZerosStopAtTheLimit() throws {
    let scratch = try Scratch()
    var limits = BundleLimits()
    limits.totalBytes = 1 << 20
    try scratch.write("box/zeros", "")
    truncate("\(scratch.path)/box/zeros", 64 << 20)
    let packed = try scratch.pack(to: "b.tar", compression: .zstd)
    removeTree("\(scratch.path)/box")
    #expect(try scratch.bytes("b.tar").count < 20_000)
    try expectLimit(scratch, BundleReader(path: packed.path, limits: limits))
  }

  /// The format knows one compression; more of them cost time without end.
  @Test func whatIsCompressedTwiceIsRefused() async throws {
    let scratch = try Scratch()
    try scratch.write("box/x", "x")
    let packed = try scratch.pack(to: "b.tar.gz", compression: .gzip)
    let made = try await runProcess(["sh", "-c", #"gzip -c "$0" >"$0.gz""#, packed.path])
    #expect(made.status == 0, "\(made.errorText)")
    let check = try BundleReader(path: packed.path + ".gz").verify()
    #expect(!check.isWhole)
    #expect(check.problems.map { "\($0)" }.first?.contains("compressed more than once") == true)
  }

  @Test(arguments: [1 << 60, 1 << 40, Int.max / 2])
  func anAnnouncedSizeIsRefusedAtOnce(_ size: Int) throws {
    let scratch = try Scratch()
    try expectLimit(
      scratch,
      try bundle(scratch, limits: BundleLimits()) { tar in
        tar.add("small", data: "x")
        tar.add(Array("huge".utf8), data: [1], size: size)
      })
  }

  @Test func theNumberOfEntriesIsLimited() throws {
    let scratch = try Scratch()
    var limits = BundleLimits()
    limits.entries = 200
    try expectLimit(
      scratch,
      try bundle(scratch, limits: limits) { tar in
        for number in 0..<300 { tar.add("d/\(number)") }
      })
  }

  /// However much else is wrong before the limit is reached.
  @Test func aLimitIsNotLostAmongOtherProblems() throws {
    let scratch = try Scratch()
    var limits = BundleLimits()
    limits.entries = 200
    try expectLimit(
      scratch,
      try bundle(scratch, limits: limits) { tar in
        tar.add("contents.json", data: "no list")
        for number in 0..<300 { tar.add("d/\(number)") }
      })
    let reader = BundleReader(path: "\(scratch.path)/b.tar", limits: limits)
    #expect(try reader.verify().problems.count == BundleCheck.maxProblems)
  }

  @Test func theDepthIsLimited() throws {
    let scratch = try Scratch()
    try expectLimit(
      scratch,
      try bundle(scratch, limits: BundleLimits()) { tar in
        tar.add(Array(Array(repeating: "d", count: 5000).joined(separator: "/").utf8))
      })
  }

  @Test func theLengthOfPathsIsLimited() throws {
    let scratch = try Scratch()
    try expectLimit(
      scratch,
      try bundle(scratch, limits: BundleLimits()) { tar in
        tar.add([UInt8](repeating: 97, count: 20_000))
      })
    try expectLimit(
      scratch,
      try bundle(scratch, limits: BundleLimits()) { tar in
        tar.add([UInt8](repeating: 97, count: 200_000))
      })
  }

  @Test func theManifestIsLimited() throws {
    let scratch = try Scratch()
    var limits = BundleLimits()
    limits.manifestBytes = 100
    let reader = try bundle(scratch, limits: limits) { _ in }
    let error = #expect(throws: EvidenceError.self) { try reader.manifest() }
    #expect(error?.code == .limit)
  }

  @Test func endlessExtendedHeadersAreRefused() throws {
    let scratch = try Scratch()
    let reader = try bundle(scratch, limits: BundleLimits()) { tar in
      for _ in 0..<100 { tar.addExtendedHeader([("comment", [120])]) }
      tar.add("x")
    }
    #expect(try reader.verify().problems.map(\.code) == [.damaged])
  }

  @Test func namesOfEntriesAreShownSafely() throws {
    let scratch = try Scratch()
    let names = [
      "\u{1B}]0;owned\u{7}", "\u{1B}]52;c;ZXZpbA==\u{7}", "over\rwritten", "fake\nentry", "a\tb",
      "\u{9B}2J", "\u{202E}gnp.exe",
    ]
    let reader = try bundle(scratch, limits: BundleLimits()) { tar in
      for name in names { tar.add("container/" + name) }
    }
    let shown = try reader.entries().map(\.path.displayName).joined(separator: "\n")
    #expect(shown.split(separator: "\n").count == names.count + 1)
    #expect(
      shown.unicodeScalars.allSatisfy {
        $0 == "\n" || $0.value >= 0x20 && !(0x7F..<0xA0).contains($0.value) && $0 != "\u{202E}"
      })
    let problems = try reader.verify().problems.map(\.description).joined()
    #expect(!problems.contains("\u{1B}") && !problems.contains("\r"))
  }
}
