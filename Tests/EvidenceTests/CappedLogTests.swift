import RunModel
import SystemFiles
import Testing

@testable import Evidence

@Suite struct CappedLogTests {
  private func log(
    _ scratch: Scratch, _ pieces: [[UInt8]], head: Int = 10, tail: Int = 6
  ) throws -> (LogReference?, CappedLog) {
    let log = CappedLog(
      folder: scratch.path, path: "a.log", limits: .init(head: head, tail: tail))
    for piece in pieces { log.append(piece) }
    return (try log.finish(), log)
  }

  @Test func noBytesMakeNoFile() throws {
    let scratch = try Scratch()
    let (reference, log) = try log(scratch, [[]])
    #expect(reference == nil)
    #expect(FileIdentity(path: "\(scratch.path)/a.log") == nil)
    #expect(log.lastText(lines: 5) == "")
  }

  @Test(arguments: [1, 9, 10, 11, 15, 16])
  func whatFitsIsKept(_ count: Int) throws {
    let scratch = try Scratch()
    let bytes = (0..<count).map { UInt8(97 + $0) }
    let (reference, _) = try log(scratch, bytes.map { [$0] })
    #expect(reference == LogReference(path: "a.log", bytes: count, isTruncated: false))
    #expect(try scratch.bytes("a.log") == bytes)
  }

  @Test(arguments: [1, 3, 7, 100])
  func theMiddleIsLeftOut(_ piece: Int) throws {
    let scratch = try Scratch()
    let text = Array("0123456789abcdefghijklmnopqrstuvwxyz".utf8)
    let pieces = stride(from: 0, to: text.count, by: piece).map {
      Array(text[$0..<min($0 + piece, text.count)])
    }
    let (reference, log) = try log(scratch, pieces)
    #expect(reference == LogReference(path: "a.log", bytes: 36, isTruncated: true))
    #expect(
      try String(decoding: scratch.bytes("a.log"), as: UTF8.self)
        == "0123456789\n[carrel: 20 bytes left out here]\nuvwxyz")
    #expect(log.lastText(lines: 1) == "uvwxyz")
  }

  @Test func aHeadThatEndsALineGetsNoOtherNewline() throws {
    let scratch = try Scratch()
    _ = try log(scratch, [Array("012345678\nabcdefghijkl".utf8)])
    #expect(
      try String(decoding: scratch.bytes("a.log"), as: UTF8.self)
        == "012345678\n[carrel: 6 bytes left out here]\nghijkl")
  }

  @Test func oneEndlessLineIsKeptWithinTheCap() throws {
    let scratch = try Scratch()
    let log = CappedLog(folder: scratch.path, path: "a.log")
    let piece = [UInt8](repeating: 120, count: 4096)
    for _ in 0..<16_384 { log.append(piece) }
    let reference = try log.finish()
    #expect(reference?.bytes == 64 << 20)
    #expect(reference?.isTruncated == true)
    let size = try scratch.bytes("a.log").count
    #expect((2 << 20..<(2 << 20) + 100).contains(size))
  }

  @Test func bytesThatAreNoTextStayInTheFileAndAreRepairedForPeople() throws {
    let scratch = try Scratch()
    let (_, log) = try log(
      scratch, [[0xFF, 0xFE], [0x80, 10], [0xF0, 0x9F], [0x8E, 0x89, 10]], head: 100, tail: 100)
    #expect(try scratch.bytes("a.log") == [0xFF, 0xFE, 0x80, 10, 0xF0, 0x9F, 0x8E, 0x89, 10])
    #expect(log.lastText(lines: 5) == "\u{FFFD}\u{FFFD}\u{FFFD}\n🎉\n")
    #expect(log.lastText(lines: 1) == "🎉\n")
    // The byte limit falls into the character: its rest is not shown.
    #expect(log.lastText(lines: 5, bytes: 3) == "\n")
  }

  @Test func lastLinesAreCounted() throws {
    let scratch = try Scratch()
    let (_, log) = try log(scratch, [Array("1\n2\n3\n4".utf8)], head: 100, tail: 100)
    #expect(log.lastText(lines: 2) == "3\n4")
    #expect(log.lastText(lines: 99) == "1\n2\n3\n4")
  }

  @Test func aFileThatCannotBeMadeIsReported() throws {
    let scratch = try Scratch()
    let log = CappedLog(folder: scratch.path, path: "missing/a.log")
    log.append(Array("text\n".utf8))
    let error = #expect(throws: EvidenceError.self) { try log.finish() }
    #expect(error?.code == .unwritable)
    #expect(log.lastText(lines: 1) == "text\n")
  }

  @Test func manyLogsAtOnceKeepTheirOwnContent() async throws {
    let scratch = try Scratch()
    let record = try RunRecord.create(inRunsFolder: "\(scratch.path)/runs", at: 0)
    let tests = (0..<50).flatMap { number in
      ["A", "B"].map {
        TestID(product: "P", library: .xctest, name: "\($0)\(number).Suite/testBasic")
      }
    }
    let references = try await withThrowingTaskGroup(of: (TestID, LogReference?).self) { group in
      for test in tests {
        group.addTask {
          let log = record.makeLog(test, attempt: 1, stream: "stdout")
          for _ in 0..<20 { log.append(Array("\(test)\n".utf8)) }
          return (test, try log.finish())
        }
      }
      return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
    #expect(Set(references.values.map(\.path)).count == tests.count)
    for test in tests {
      let path = try #require(references[test]).path
      let text = try String(
        decoding: readFile("\(record.path)/\(path)", maxBytes: 1 << 20), as: UTF8.self)
      #expect(text == String(repeating: "\(test)\n", count: 20))
    }
  }
}
