/// Where the texts of an SQLite database are: bytes that may be replaced, without those that the
/// database finds its way by.
///
/// See "Database File Format" of SQLite's documentation. Whatever the bytes are, the ranges lie in
/// the page and do not overlap.
struct DatabasePages {
  /// How a database begins.
  static let magic = Array("SQLite format 3\u{0}".utf8)
  /// Bytes of the header that say how large a page is.
  static let headerBytes = 100

  /// In bytes, 512 to 65,536.
  let pageSize: Int
  /// Bytes of a page without those at its end that extensions use.
  private let usable: Int

  /// - Parameter header: The first ``headerBytes`` bytes of a file, or more.
  /// - Returns: `nil` when the file is no database.
  init?(header: some Collection<UInt8>) {
    let header = Array(header.prefix(Self.headerBytes))
    guard header.count == Self.headerBytes, header.starts(with: Self.magic) else { return nil }
    let size = Int(header[16]) << 8 | Int(header[17])
    pageSize = size == 1 ? 65_536 : size
    usable = pageSize - Int(header[20])
    guard pageSize >= 512, pageSize & (pageSize - 1) == 0, usable >= 480 else { return nil }
  }

  /// Pages of a file that does not say of extensions, as a write-ahead log.
  init?(size: Int) {
    guard (512...65_536).contains(size), size & (size - 1) == 0 else { return nil }
    pageSize = size
    usable = size
  }

  /// The ranges of a page in which texts may be, in their order.
  ///
  /// - Parameters:
  ///   - page: As many bytes as a page has; less at the end of a file that was cut off.
  ///   - isFirst: Whether it is the first page, which begins with the header.
  func textRanges(_ page: UnsafeBufferPointer<UInt8>, isFirst: Bool) -> [Range<Int>] {
    guard page.count == pageSize else { return isFirst ? [] : [0..<page.count] }
    let begin = isFirst ? Self.headerBytes : 0
    let isInterior = page[begin] == 2 || page[begin] == 5
    guard isInterior || page[begin] == 10 || page[begin] == 13 else {
      // What does not fit into a page goes on in others, which begin with the number of the next.
      return isFirst ? [] : [4..<usable]
    }
    let cells = number(page, begin + 3)
    let pointers = begin + (isInterior ? 12 : 8)
    let free = pointers + 2 * cells
    let content = number(page, begin + 5) == 0 ? 65_536 : number(page, begin + 5)
    guard free <= usable, content <= usable, free <= content else { return [] }
    var ranges = free < content ? [free..<content] : []
    for cell in 0..<cells {
      let start = number(page, pointers + 2 * cell)
      guard start >= content else { continue }
      addTexts(ofCell: start, in: page, kind: page[begin], to: &ranges)
    }
    // What was removed: blocks that begin with the place of the next and with their size.
    var block = number(page, begin + 1)
    while block >= content, block + 4 <= usable {
      let (next, size) = (number(page, block), number(page, block + 2))
      if size > 4, block + size <= usable { ranges.append(block + 4..<block + size) }
      guard next > block else { break }
      block = next
    }
    return disjoint(ranges)
  }

  private func number(_ page: UnsafeBufferPointer<UInt8>, _ offset: Int) -> Int {
    Int(page[offset]) << 8 | Int(page[offset + 1])
  }

  /// In their order; of those that overlap in a damaged page the first.
  private func disjoint(_ ranges: [Range<Int>]) -> [Range<Int>] {
    var result: [Range<Int>] = []
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = result.last, range.lowerBound < last.upperBound { continue }
      result.append(range)
    }
    return result
  }

  /// Adds the texts and blobs of a record, as far as they are in this page.
  private func addTexts(
    ofCell start: Int, in page: UnsafeBufferPointer<UInt8>, kind: UInt8,
    to ranges: inout [Range<Int>]
  ) {
    guard kind != 5 else { return }
    var offset = start + (kind == 2 ? 4 : 0)
    guard let payload = variableNumber(page, &offset) else { return }
    if kind == 13, variableNumber(page, &offset) == nil { return }
    let end = min(offset + local(payload, isTable: kind == 13), usable)
    let record = offset
    guard let headerSize = variableNumber(page, &offset), headerSize <= end - record else { return }
    var value = record + headerSize
    while offset < record + headerSize, value < end {
      guard let type = variableNumber(page, &offset) else { return }
      let size =
        switch type {
        case 1...4: type
        case 5: 6
        case 6, 7: 8
        case 12...: (type - 12) / 2
        default: 0
        }
      if type >= 12, size > 0 { ranges.append(value..<min(value + size, end)) }
      guard size <= end - value else { return }
      value += size
    }
  }

  /// Bytes of a record that are in the page itself.
  private func local(_ payload: Int, isTable: Bool) -> Int {
    let most = isTable ? usable - 35 : (usable - 12) * 64 / 255 - 23
    guard payload > most else { return payload }
    let least = (usable - 12) * 32 / 255 - 23
    let size = least + (payload - least) % (usable - 4)
    return size <= most ? size : least
  }

  /// A number of one to nine bytes, at most 2⁴⁰; `nil` when the page ends before it does.
  private func variableNumber(_ page: UnsafeBufferPointer<UInt8>, _ offset: inout Int) -> Int? {
    var result = 0
    for index in 0..<9 {
      guard offset < usable else { return nil }
      let byte = page[offset]
      offset += 1
      if index == 8 { return 1 << 40 }
      result = result << 7 | Int(byte & 0x7F)
      // Row numbers may be large, and are not needed.
      if byte < 0x80 { return min(result, 1 << 40) }
    }
    return nil
  }
}
