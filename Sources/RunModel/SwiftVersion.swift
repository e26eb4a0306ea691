/// The version of a Swift compiler, as it says it of itself.
package struct SwiftVersion: Hashable, Sendable {
  /// Major, minor and patch number; what is not said is 0.
  package var numbers: [Int]
  /// Whether it is a snapshot between releases: `6.4-dev`.
  package var isDevelopment: Bool
  /// What stands in parentheses after it, for example `swift-6.3.1-RELEASE`; `nil` for nothing.
  package var build: String?

  package init(_ numbers: [Int], isDevelopment: Bool = false, build: String? = nil) {
    self.numbers = numbers + Array(repeating: 0, count: max(0, 3 - numbers.count))
    self.isDevelopment = isDevelopment
    self.build = build
  }

  /// Reads numbers like `6.3.1`, `6.3` or `6.4-dev`.
  package init?(parsing text: some StringProtocol) {
    let suffix = "-dev"
    let isDevelopment = text.hasSuffix(suffix)
    let digits = isDevelopment ? text.dropLast(suffix.count) : text[...]
    let parts = digits.split(separator: ".", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { part in
      part.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(part) : nil
    }
    guard (1...3).contains(parts.count), numbers.count == parts.count else { return nil }
    self.init(numbers, isDevelopment: isDevelopment)
  }

  /// Finds the version in what `swift --version` prints:
  /// `Swift version 6.3.1 (swift-6.3.1-RELEASE)`, maybe with other words before it.
  package init?(describedBy text: some StringProtocol) {
    let marker = Array("Swift version ".utf8)
    let bytes = Array(text.utf8)
    guard
      let start = bytes.indices.first(where: { bytes[$0...].starts(with: marker) })
    else { return nil }
    let line = bytes[(start + marker.count)...].prefix { $0 != 0x0A && $0 != 0x0D }
    let word = line.prefix { $0 != 0x20 }
    guard let version = SwiftVersion(parsing: String(decoding: word, as: UTF8.self)) else {
      return nil
    }
    self = version
    guard let open = line.firstIndex(of: UInt8(ascii: "(")),
      let close = line.lastIndex(of: UInt8(ascii: ")")), open < close
    else { return }
    build = String(decoding: line[(open + 1)..<close], as: UTF8.self)
  }

  /// Whether major and minor number are the same, and both are snapshots or neither.
  package func isSameMinor(as other: SwiftVersion) -> Bool {
    numbers[..<2] == other.numbers[..<2] && isDevelopment == other.isDevelopment
  }
}

extension SwiftVersion: Comparable {
  /// By numbers; a snapshot comes before the release of its number.
  package static func < (first: SwiftVersion, second: SwiftVersion) -> Bool {
    guard first.numbers == second.numbers else {
      return first.numbers.lexicographicallyPrecedes(second.numbers)
    }
    return first.isDevelopment && !second.isDevelopment
  }
}

extension SwiftVersion: CustomStringConvertible {
  /// The numbers as compilers write them: without a patch number of 0.
  package var description: String {
    let shown = numbers[2] == 0 ? Array(numbers[..<2]) : numbers
    return shown.map { "\($0)" }.joined(separator: ".") + (isDevelopment ? "-dev" : "")
  }
}
