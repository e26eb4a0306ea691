import Glibc
import RunModel
import SystemFiles
import TestSupport
import Testing

@testable import Evidence

/// Damages good files in random ways: nothing crashes and nothing is written elsewhere.
@Suite struct FuzzTests {
  /// Cuts, overwrites, repeats, moves and flips pieces of bytes.
  private func mutate(_ bytes: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<Int.random(in: 1...6, using: &random) {
      guard bytes.count > 2 else { return bytes }
      let position = Int.random(in: 0..<bytes.count, using: &random)
      let length = min(Int.random(in: 1...700, using: &random), bytes.count - position)
      switch Int.random(in: 0..<6, using: &random) {
      case 0: bytes[position] = UInt8.random(in: 0...255, using: &random)
      case 1: bytes.removeSubrange(position..<position + length)
      case 2: bytes.insert(contentsOf: bytes[position..<position + length], at: position)
      case 3:
        for index in position..<position + length {
          bytes[index] = UInt8(truncatingIfNeeded: random.next())
        }
      case 4:
        let block = position / 512 * 512
        if block + 512 <= bytes.count {
          bytes.insert(contentsOf: bytes[block..<block + 512], at: block)
        }
      default:
        // A header that is changed and has a right checksum again.
        let block = position / 512 * 512
        guard block + 512 <= bytes.count else { continue }
        bytes[block + Int.random(in: 0..<350, using: &random)] =
          [0, 46, 47, 48, 49, 50, 53, 55, 76, 120, 255][Int.random(in: 0..<11, using: &random)]
        let sum = (0..<512).reduce(8 * 32) {
          (148..<156).contains($1) ? $0 : $0 + Int(bytes[block + $1])
        }
        let digits = Array(String(sum, radix: 8).utf8)
        let field = [UInt8](repeating: 48, count: 6 - digits.count) + digits + [0, 32]
        bytes.replaceSubrange(block + 148..<block + 156, with: field)
      }
    }
    return bytes
  }

  @Test(arguments: BundleCompression.allCases)
  func damagedBundlesDoNoHarm(_ compression: BundleCompression) throws {
    let scratch = try Scratch()
    try scratch.write("box/a/b.txt", "text")
    try scratch.write(
      "box/" + String(repeating: "n", count: 130), [UInt8](repeating: 3, count: 900))
    symlink("a/b.txt", "\(scratch.path)/box/link")
    symlink("/etc", "\(scratch.path)/box/outside")
    let whole = try scratch.pack(to: "whole", compression: compression)
    let bytes = try scratch.bytes("whole")
    let reader = BundleReader(path: "\(scratch.path)/fuzzed")
    let before = try TreeSnapshot("\(scratch.path)/box")
    var random = SeededGenerator(seed: UInt64(compression.fileExtension.utf8.count))
    for round in 0..<300 {
      try writeFileAtomically(mutate(bytes, &random), to: reader.path)
      _ = try? reader.manifest()
      _ = try? reader.entries()
      _ = try? reader.verify()
      _ = try? reader.extract(to: "\(scratch.path)/out")
      removeTree("\(scratch.path)/out")
      if round.isMultiple(of: 50) {
        #expect(try TreeSnapshot("\(scratch.path)/box") == before)
      }
    }
    let left = try OwnedDescriptor(opening: scratch.path, O_RDONLY | O_DIRECTORY)
    let names = try listFolder(left.number).map { String(decoding: $0, as: UTF8.self) }
    #expect(Set(names) == ["box", "whole", "fuzzed"])
    #expect(try whole.verify().isWhole)
  }

  @Test func damagedEventLogsAreReadAsFarAsTheyGo() throws {
    let scratch = try Scratch()
    let test = TestID(product: "P", library: .testing, name: "M.t()")
    var bytes: [UInt8] = []
    for number in 0..<30 {
      bytes += try encodedJSON(
        RunEvent(
          time: Double(number),
          .attemptStarted(AttemptStart(test: test, attempt: number, batch: 1, worker: 1))))
      bytes.append(10)
    }
    var random = SeededGenerator(seed: 21)
    for _ in 0..<300 {
      let damaged = mutate(bytes, &random)
      try scratch.write("events.jsonl", damaged)
      var reader = try EventLogReader(path: "\(scratch.path)/events.jsonl")
      var count = 0
      while try reader.next() != nil { count += 1 }
      let lines = damaged.filter { $0 == 10 }.count
      let damagedLines = reader.damagedLines.count
      #expect(count + damagedLines == lines)
    }
  }

  @Test func damagedListsOfContentsDoNoHarm() throws {
    var list = ContentsListWriter()
    for number in 0..<20 {
      list.add(
        ContentsEntry(
          path: ByteName(bytes: [0xFF, UInt8(65 + number)]), kind: .file, mode: 0o644, size: number,
          modified: Timestamp(seconds: -number, nanoseconds: number), sha256: "aa"))
      list.add(
        ContentsNote(path: ByteName("x"), kind: .special, type: .fifo, message: "\u{1B} \"x\""))
    }
    let text = list.text()
    var whole = ContentsListReader()
    var items = 0
    try whole.feed(text) { _ in items += 1 }
    whole.finish()
    #expect(whole.problem == nil && items == 40)
    var random = SeededGenerator(seed: 8)
    for _ in 0..<400 {
      let damaged = mutate(text, &random)
      guard damaged != text else { continue }
      var reader = ContentsListReader()
      do {
        try reader.feed(damaged) { _ in }
        reader.finish()
        #expect(reader.problem != nil)
      } catch let error as EvidenceError {
        #expect(error.code == .newerFormat)
      }
    }
  }
}
