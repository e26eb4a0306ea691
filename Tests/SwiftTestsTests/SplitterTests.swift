import Testing

@testable import SwiftTests

@Suite struct SplitterTests {
  static let nonce = "0123456789abcdef"

  static func marker(_ number: Int) -> [UInt8] {
    let digits = String(number, radix: 16)
    let padded = String(repeating: "0", count: 8 - digits.count) + digits
    return [0x1E] + Array((nonce + padded).utf8) + [0x1F]
  }

  /// Cuts the bytes at random places, from a fixed seed.
  static func pieces(_ bytes: [UInt8], seed: UInt64, longest: Int) -> [ArraySlice<UInt8>] {
    var state = seed &* 2_862_933_555_777_941_757 &+ 3_037_000_493
    var result: [ArraySlice<UInt8>] = []
    var start = 0
    while start < bytes.count {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let length = Int(state >> 33) % longest + 1
      let end = min(bytes.count, start + length)
      result.append(bytes[start..<end])
      start = end
    }
    return result
  }

  func split(_ pieces: [ArraySlice<UInt8>]) -> [Int: [UInt8]] {
    var splitter = OutputSplitter(nonce: Self.nonce)
    var result: [Int: [UInt8]] = [:]
    for piece in pieces {
      piece.withUnsafeBytes { splitter.feed($0) { result[$0, default: []] += Array($1) } }
    }
    splitter.finish { result[$0, default: []] += Array($1) }
    return result
  }

  @Test(arguments: UInt64(0)..<50) func outputIsCutAtMarkersHoweverItArrives(seed: UInt64) {
    let parts: [[UInt8]] = [
      Array("before".utf8), Array("é🦊\n".utf8), [], [0x1E, 0x1E], [0xFF, 0xFE, 0x80],
      Self.marker(1).dropLast(), Self.marker(9).map { $0 == 0x1F ? 0x20 : $0 },
      Array(Self.marker(3).prefix(12)) + Array("x".utf8), Array(repeating: 0x1E, count: 100),
      [0x1E] + Array("0123456789abcdeX00000001".utf8) + [0x1F],
    ]
    var bytes: [UInt8] = []
    for (number, part) in parts.enumerated() {
      if number > 0 { bytes += Self.marker(number) }
      bytes += part
    }
    let result = split(Self.pieces(bytes, seed: seed, longest: Int(seed % 40) + 1))
    for (number, part) in parts.enumerated() { #expect(result[number] ?? [] == part, "\(number)") }
  }

  @Test func beginningOfAMarkerAtTheEndIsOutput() {
    let bytes = Array("x".utf8) + Self.marker(1).prefix(20)
    #expect(split([bytes[...]]) == [0: bytes])
  }

  @Test(arguments: UInt64(0)..<20) func linesComeWholeHoweverTheyArrive(seed: UInt64) {
    let lines = ["", "a", String(repeating: "long", count: 500), "é🦊", "", "last"]
    let bytes = Array((lines.joined(separator: "\n") + "\nrest").utf8)
    var splitter = LineSplitter(limit: 10_000)
    var result: [String] = []
    for piece in Self.pieces(bytes, seed: seed, longest: 64) {
      piece.withUnsafeBytes {
        splitter.feed($0) { line in
          if let line { result.append(String(decoding: line, as: UTF8.self)) }
        }
      }
    }
    #expect(result == lines)
    #expect(splitter.hasRest)
  }

  /// A line that is too long is told of once, however it arrives, and the others are not affected.
  @Test(arguments: UInt64(0)..<20) func linesThatAreTooLongAreToldOf(seed: UInt64) {
    let long = String(repeating: "x", count: 301)
    let bytes = Array("one\n\(long)\ntwo\n\(long)\(long)\n\(long.dropLast())\n".utf8)
    var splitter = LineSplitter(limit: 300)
    var result: [Int?] = []
    for piece in Self.pieces(bytes, seed: seed, longest: seed == 0 ? 10_000 : 128) {
      piece.withUnsafeBytes { splitter.feed($0) { result.append($0?.count) } }
    }
    #expect(result == [3, nil, 3, nil, 300])
    #expect(!splitter.hasRest)
  }
}
