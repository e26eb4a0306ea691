import CScanner

/// Replaces the secrets of one text that comes in pieces of any size by as many other bytes.
///
/// What comes out does not depend on how the text is cut. At most ``SecretSearch/longestSecret``
/// bytes and the last piece are kept.
final class SecretScanner {
  private let search: SecretSearch
  private var scan = carrel_scan()
  /// The last bytes, and the offset of the first of them in the text.
  private var pending: [UInt8] = []
  private var base = 0
  /// Secrets in what is pending, by their beginning, none over another.
  private var regions: [Region] = []
  /// How many secrets were replaced, by the number of their rule.
  private(set) var counts: [Int: Int] = [:]

  private struct Region {
    var range: Range<Int>
    var rule: Int
  }

  /// So many bytes are kept of what is done with: a match is judged by what stands before it.
  private static let history = 1_024

  /// - Throws: ``EvidenceError`` with the code `out-of-memory`, as all that takes bytes.
  init(_ search: SecretSearch) throws(EvidenceError) {
    self.search = search
    guard carrel_scan_open(&scan, search.automaton.table) == 0 else { throw Self.noMemory }
  }

  deinit { carrel_scan_close(&scan) }

  private static var noMemory: EvidenceError {
    EvidenceError(.outOfMemory, "there is no memory to search for secrets")
  }

  /// Begins another text.
  func reset() {
    carrel_scan_reset(&scan)
    pending.removeAll(keepingCapacity: true)
    regions = []
    counts = [:]
    base = 0
  }

  /// Takes the next bytes and hands out those that are decided.
  func feed(
    _ bytes: UnsafeRawBufferPointer, _ emit: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    let from = base + pending.count
    pending.append(contentsOf: bytes)
    let position = base + pending.count
    let status = pending.withUnsafeBufferPointer {
      carrel_scan_feed(&scan, $0.baseAddress, base, from, position)
    }
    guard status == 0 else { throw Self.noMemory }
    let oldest = carrel_scan_oldest(&scan, position)
    collect(upTo: oldest)
    try release(upTo: min(oldest, max(base, position - Self.history)), emit)
  }

  /// Says that the text is over, and hands out the rest.
  func finish(_ emit: (UnsafeRawBufferPointer) throws -> Void) throws {
    let position = base + pending.count
    guard carrel_scan_end(&scan, position) == 0 else { throw Self.noMemory }
    collect(upTo: position)
    try release(upTo: position, emit)
  }

  /// Judges the matches, which may still grow when they begin at or after an offset.
  private func collect(upTo decided: Int) {
    guard scan.match_count > 0 else { return }
    var kept = 0
    pending.withUnsafeBufferPointer { bytes in
      for index in 0..<scan.match_count {
        let match = scan.matches[index]
        if match.origin >= decided {
          scan.matches[kept] = match
          kept += 1
        } else if let range = search.secret(match, in: bytes, base: base) {
          regions.append(Region(range: range, rule: Int(match.rule)))
        }
      }
    }
    scan.match_count = kept
  }

  /// Takes regions that touch each other together; the first in the text, then the first of the
  /// rules, names them.
  private func merge() {
    guard regions.count > 1 else { return }
    regions.sort {
      ($0.range.lowerBound, $0.rule) < ($1.range.lowerBound, $1.rule)
    }
    var merged: [Region] = []
    for region in regions {
      if let last = merged.last, region.range.lowerBound < last.range.upperBound {
        let end = max(last.range.upperBound, region.range.upperBound)
        merged[merged.count - 1].range = last.range.lowerBound..<end
      } else {
        merged.append(region)
      }
    }
    regions = merged
  }

  private func release(
    upTo limit: Int, _ emit: (UnsafeRawBufferPointer) throws -> Void
  ) rethrows {
    merge()
    var limit = limit
    for region in regions.reversed()
    where region.range.lowerBound < limit && region.range.upperBound > limit {
      limit = region.range.lowerBound
    }
    let done = regions.prefix { $0.range.upperBound <= limit }
    for region in done {
      counts[region.rule, default: 0] += 1
      fill(region)
    }
    regions.removeFirst(done.count)
    guard limit > base else { return }
    try pending.withUnsafeBytes {
      try emit(UnsafeRawBufferPointer(rebasing: $0[..<(limit - base)]))
    }
    pending.removeFirst(limit - base)
    base = limit
  }

  private func fill(_ region: Region) {
    let begin = region.range.lowerBound - base
    let mark = RedactionMark.bytes(of: search.rules[region.rule].id, count: region.range.count)
    pending.replaceSubrange(begin..<begin + region.range.count, with: mark)
  }
}

/// What stands in the place of a secret.
enum RedactionMark {
  /// As many bytes as the secret had: `[redacted: RULE]` and then `*`; only `*` for a short one.
  static func bytes(of rule: String, count: Int) -> [UInt8] {
    var bytes = text(rule)
    if bytes.count > count { bytes = [] }
    return bytes + [UInt8](repeating: UInt8(ascii: "*"), count: count - bytes.count)
  }

  static func text(_ rule: String) -> [UInt8] { Array("[redacted: \(rule)]".utf8) }
}

extension SecretSearch {
  /// Replaces the secrets of a text.
  ///
  /// - Returns: As many bytes, and how many secrets were replaced, by the ID of their rule.
  /// - Throws: ``EvidenceError`` with the code `out-of-memory`.
  package func redacted(_ bytes: [UInt8]) throws -> (bytes: [UInt8], counts: [String: Int]) {
    try redacted(bytes, with: SecretScanner(self))
  }

  func redacted(
    _ bytes: [UInt8], with scanner: SecretScanner
  ) throws -> (bytes: [UInt8], counts: [String: Int]) {
    scanner.reset()
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    try bytes.withUnsafeBytes { try scanner.feed($0) { result += $0 } }
    try scanner.finish { result += $0 }
    return (result, named(scanner.counts))
  }

  /// Counts by the ID of the rule.
  func named(_ counts: [Int: Int]) -> [String: Int] {
    var named: [String: Int] = [:]
    for (rule, count) in counts { named[rules[rule].id, default: 0] += count }
    return named
  }
}
