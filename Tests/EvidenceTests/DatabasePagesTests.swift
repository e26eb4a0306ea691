import TestSupport
import Testing

@testable import Evidence

@Suite struct DatabasePagesTests {
  private func header(size: (UInt8, UInt8), reserved: UInt8 = 0) -> [UInt8] {
    var header = DatabasePages.magic + [UInt8](repeating: 0, count: 84)
    (header[16], header[17], header[20]) = (size.0, size.1, reserved)
    return header
  }

  @Test func sizesOfPages() {
    #expect(DatabasePages(header: header(size: (16, 0)))?.pageSize == 4096)
    #expect(DatabasePages(header: header(size: (0, 1)))?.pageSize == 65_536)
    for size: (UInt8, UInt8) in [(0, 0), (0, 2), (16, 1), (1, 0)] {
      #expect(DatabasePages(header: header(size: size)) == nil)
    }
    #expect(DatabasePages(header: header(size: (2, 0), reserved: 255)) == nil)
    #expect(DatabasePages(header: header(size: (16, 0)).dropLast()) == nil)
  }

  /// Whatever is in a page, the ranges lie in it, and none over another.
  @Test func anyBytesGiveRangesWithinThePage() throws {
    let pages = try #require(DatabasePages(header: header(size: (2, 0), reserved: 3)))
    var random = SeededGenerator(seed: 3)
    for round in 0..<20_000 {
      var page = (0..<512).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      let begin = round % 2 == 0 ? 0 : 100
      page[begin] = [2, 5, 10, 13, 0][round % 5]
      page[begin + 3] = 0
      page[begin + 4] = UInt8(round % 40)
      page[begin + 5] = UInt8(round % 2)
      if round % 3 == 0 { (page[begin + 1], page[begin + 2]) = (1, page[begin + 2]) }
      let ranges = page.withUnsafeBufferPointer { pages.textRanges($0, isFirst: begin == 100) }
      var last = 0
      for range in ranges {
        #expect(range.lowerBound >= last && range.upperBound <= 509 && !range.isEmpty)
        last = range.upperBound
      }
    }
    for count in [0, 1, 511] {
      let page = [UInt8](repeating: 13, count: count)
      let ranges = page.withUnsafeBufferPointer { pages.textRanges($0, isFirst: false) }
      #expect(ranges == [0..<count])
    }
  }
}
