import Foundation
import Testing
import XCTest

/// Tests whose output is large, broken or hostile.
final class OutputXCTests: XCTestCase {
  /// 64 MiB without a line's end, then a failure.
  func testHugeLine() {
    writeAll("<head>")
    let block = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)
    for _ in 0..<64 { writeAll(block) }
    writeAll("<tail>")
    XCTFail("failed after 64 MiB on one line")
  }

  /// A million lines, then a failure.
  func testMillionLines() {
    var block: [UInt8] = []
    for number in 0..<1_000_000 {
      block.append(contentsOf: "line \(number)\n".utf8)
      if block.count > 60_000 {
        writeAll(block)
        block.removeAll(keepingCapacity: true)
      }
    }
    writeAll(block)
    XCTFail("failed after a million lines")
  }

  func testInvalidUTF8() {
    writeAll("before ")
    writeAll([0xFF, 0xFE, 0x80, 0xED, 0xA0, 0x80])
    writeAll(" after\n")
    writeAll(Array("UTF-16".utf16).flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] })
    writeAll("\n")
    XCTFail("failed after invalid bytes")
  }

  /// A 4-byte character in two writes, and a 3-byte one across a border of 64 KiB.
  func testSplitCharacters() {
    let emoji = Array("\u{1F600}".utf8)
    writeAll("split <")
    writeAll(Array(emoji[..<2]))
    usleep(50_000)
    writeAll(Array(emoji[2...]))
    writeAll(">\n")
    writeAll(
      [UInt8](repeating: UInt8(ascii: "y"), count: (1 << 16) - 1) + Array("\u{20AC}".utf8)
        + Array("|end\n".utf8))
    XCTFail("failed after split characters")
  }

  func testControlCharacters() {
    writeAll("out: \u{1B}[31mred\u{1B}[0m \u{0}nul \u{8}back \u{FFFE} ]]> <end>\n")
    writeAll("\u{1B}]0;title\u{7}\u{9B}31m\r\u{202E}bidi\n")
    XCTFail("\u{1B}[31mred\u{1B}[0m \u{0}nul \u{8}back \u{FFFE} ]]> <end> & \"quotes\"")
  }

  /// 300 KiB to one stream while nobody may have read the other.
  func testBothStreams() {
    let block = [UInt8](repeating: UInt8(ascii: "e"), count: 300 << 10)
    writeAll(block, to: 2)
    writeAll(block, to: 1)
  }

  /// Lines that look like the library's own, from a test that passes.
  func testForgedResults() {
    print("Test Case 'OutputXCTests.testForgedResults' failed (0.001 seconds)")
    print("/tmp/forged.swift:1: error: OutputXCTests.testForgedResults : forged")
    print("Test Case 'OutputXCTests.testNotThere' started at 2001-01-01 00:00:00.000")
    print("{\"version\":0,\"kind\":\"event\",\"payload\":{\"kind\":\"runEnded\"}}")
  }

  /// The very lines that XCTest itself prints about this test, as often as it prints them.
  func testForgesItsOwnLines() {
    print("Test Case 'OutputXCTests.testForgesItsOwnLines' started at 2001-01-01 00:00:00.000")
    print("Test Case 'OutputXCTests.testForgesItsOwnLines' passed (0.001 seconds)")
  }

  /// The process goes on without its standard output.
  func testClosesOutput() {
    print("last line before closing")
    fflush(nil)
    close(1)
    close(2)
    let null = open("/dev/null", O_WRONLY)
    _ = dup2(null, 2)
  }
}

@Suite struct OutputTests {
  @Test func controlCharacters() {
    writeAll("out: \u{1B}[31mred\u{1B}[0m \u{0}nul \u{8}back \u{FFFE} ]]> <end>\n")
    Issue.record("\u{1B}[31mred\u{1B}[0m \u{0}nul \u{8}back \u{FFFE} ]]> <end> & \"quotes\"")
  }

  @Test func bothStreams() {
    let block = [UInt8](repeating: UInt8(ascii: "e"), count: 300 << 10)
    writeAll(block, to: 2)
    writeAll(block, to: 1)
  }

  @Test func invalidUTF8() {
    writeAll([0xFF, 0xFE, 0x80, 0x0A])
    Issue.record("failed after invalid bytes")
  }

  /// Leaves a file for the failure bundle whose name drives a terminal.
  @Test func hostileFileNames() throws {
    let folder = userFolder(.documentDirectory).path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let names: [[UInt8]] = [
      Array("\u{1B}]0;x\u{7}title".utf8), Array("\u{1B}]52;c;eA==\u{7}".utf8),
      Array("return\rhidden".utf8), Array("line\nfake".utf8), Array("tab\there".utf8),
      Array("c1 ".utf8) + [0xC2, 0x9B, 0x33, 0x31, 0x6D], Array("bidi \u{202E}txt.exe".utf8),
      [0xFF, 0x80, 0x2E, 0x74, 0x78, 0x74],
    ]
    for name in names {
      let path = Array(folder.utf8) + [UInt8(ascii: "/")] + name + [0]
      let descriptor = path.withUnsafeBufferPointer {
        $0.withMemoryRebound(to: CChar.self) { open($0.baseAddress!, O_CREAT | O_WRONLY, 0o644) }
      }
      #expect(descriptor >= 0)
      close(descriptor)
    }
    Issue.record("left \(names.count) hostile names")
  }
}

/// Writes all bytes past every buffer.
private func writeAll(_ bytes: [UInt8], to descriptor: Int32 = 1) {
  bytes.withUnsafeBytes { buffer in
    var rest = buffer[...]
    while !rest.isEmpty {
      let count = write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
      if count < 0 && errno != EINTR { return }
      rest = rest.dropFirst(max(count, 0))
    }
  }
}

private func writeAll(_ text: String) {
  writeAll(Array(text.utf8))
}
