/// Where two texts differ, line by line.
package struct TextDifference: Hashable, Sendable, Encodable {
  /// Neighbouring changes with equal lines around them.
  package struct Hunk: Hashable, Sendable, Encodable {
    /// Number of the first line in each text, from 1; that of the line before where there is none.
    package var aStart: Int
    package var bStart: Int
    package var aCount: Int
    package var bCount: Int
    /// Each begins with a space (in both texts), `-` (only in A) or `+` (only in B); hidden
    /// characters but tabs are written visibly, bytes that are not UTF-8 as `\xHH`.
    package var lines: [String]
  }

  package var hunks: [Hunk]
  /// Lines that only A has.
  package var removed: Int
  /// Lines that only B has.
  package var added: Int
  /// Whether fewer changed lines are not possible.
  package var isMinimal: Bool

  /// Equal lines that are shown around changes.
  package static let context = 3
  /// The line that says that the line before has no newline.
  static let noNewline = "\\ no newline at the end"

  /// - Returns: `nil` when the texts are equal.
  package init?(_ a: [UInt8], _ b: [UInt8], steps: Int = SequenceDiff.standardSteps) {
    guard a != b else { return nil }
    let (aBytes, bBytes) = (LineBytes(a), LineBytes(b))
    let (aLines, bLines) = (aBytes.lines, bBytes.lines)
    let diff = SequenceDiff(aLines, bLines, steps: steps)
    isMinimal = diff.isMinimal
    removed = diff.changes.reduce(0) { $0 + $1.left.count }
    added = diff.changes.reduce(0) { $0 + $1.right.count }
    hunks = []
    for group in Self.groups(diff.changes) {
      guard let first = group.first, let last = group.last else { continue }
      let before = min(Self.context, first.left.lowerBound, first.right.lowerBound)
      let after = min(
        Self.context, aLines.count - last.left.upperBound, bLines.count - last.right.upperBound)
      var position = first.left.lowerBound - before
      var lines: [String] = []
      func add(_ mark: String, _ line: LineKey) {
        lines.append(mark + line.shown)
        if !line.hasNewline { lines.append(Self.noNewline) }
      }
      for change in group {
        for index in position..<change.left.lowerBound { add(" ", aLines[index]) }
        for index in change.left { add("-", aLines[index]) }
        for index in change.right { add("+", bLines[index]) }
        position = change.left.upperBound
      }
      for index in position..<position + after { add(" ", aLines[index]) }
      let aCount = last.left.upperBound + after - first.left.lowerBound + before
      let bCount = last.right.upperBound + after - first.right.lowerBound + before
      hunks.append(
        Hunk(
          aStart: first.left.lowerBound - before + (aCount > 0 ? 1 : 0),
          bStart: first.right.lowerBound - before + (bCount > 0 ? 1 : 0),
          aCount: aCount, bCount: bCount, lines: lines))
    }
    withExtendedLifetime((aBytes, bBytes)) {}
  }

  /// Changes whose context meets.
  private static func groups(_ changes: [SequenceDiff.Change]) -> [[SequenceDiff.Change]] {
    changes.reduce(into: []) { groups, change in
      if let last = groups.last?.last,
        change.left.lowerBound - last.left.upperBound <= 2 * context
      {
        groups[groups.count - 1].append(change)
      } else {
        groups.append([change])
      }
    }
  }
}

/// The bytes of a text where they do not move.
private final class LineBytes {
  private let bytes: UnsafeMutableRawBufferPointer

  init(_ text: [UInt8]) {
    bytes = .allocate(byteCount: text.count, alignment: 1)
    bytes.copyBytes(from: text)
  }

  deinit { bytes.deallocate() }

  /// The lines with their newlines; valid as long as this value.
  var lines: [LineKey] {
    var lines: [LineKey] = []
    var start = 0
    var rest = UnsafeRawBufferPointer(bytes)[...]
    while start < bytes.count {
      let end = rest.firstIndex(of: 10).map { $0 + 1 } ?? bytes.count
      lines.append(LineKey(bytes: UnsafeRawBufferPointer(rebasing: bytes[start..<end])))
      start = end
      rest = UnsafeRawBufferPointer(bytes)[end...]
    }
    return lines
  }
}

/// A line, compared by its bytes.
private struct LineKey: Hashable, Comparable {
  let bytes: UnsafeRawBufferPointer

  var hasNewline: Bool { bytes.last == 10 }
  var shown: String { visibleText(hasNewline ? bytes.dropLast() : bytes[...]) }

  func hash(into hasher: inout Hasher) { hasher.combine(bytes: bytes) }

  static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.bytes.count == rhs.bytes.count && lhs.bytes.elementsEqual(rhs.bytes)
  }

  static func < (lhs: Self, rhs: Self) -> Bool { lhs.bytes.lexicographicallyPrecedes(rhs.bytes) }
}
