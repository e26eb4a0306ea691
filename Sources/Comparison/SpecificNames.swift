/// Names that are other ones in each run anyway, and the words that a comparison puts in their
/// place.
package struct SpecificNames: Hashable, Sendable {
  /// What a name is.
  package enum Kind: String, CaseIterable, Sendable, Encodable {
    /// The folder of the batch.
    case container
    /// The folder of the package.
    case package
    /// The ID of the run.
    case run
    /// The fixture token.
    case fixture

    /// What stands in the name's place.
    package var placeholder: String { "<\(rawValue)>" }

    fileprivate var isPath: Bool { self == .container || self == .package }
  }

  private struct Name: Hashable, Sendable {
    var kind: Kind
    var bytes: [UInt8]
    var placeholder: [UInt8]
  }

  /// The longest first, so that a folder in another one is known.
  private var names: [Name] = []

  /// Names nothing: texts stay what they are.
  package init() {}

  /// - Parameter values: Names by what they are. One that is so short that it may stand for
  ///   something else is left out: a path of less than two components, any other of less than six
  ///   bytes.
  package init(_ values: [Kind: String]) {
    for (kind, value) in values {
      let bytes = Array(value.utf8)
      let slashes = bytes.count { $0 == UInt8(ascii: "/") }
      let isDistinct =
        kind.isPath
        ? bytes.first == UInt8(ascii: "/") && slashes > 1 && bytes.last != UInt8(ascii: "/")
        : bytes.count >= 6
      guard isDistinct else { continue }
      names.append(Name(kind: kind, bytes: bytes, placeholder: Array(kind.placeholder.utf8)))
    }
    names.sort { ($1.bytes.count, $0.kind.rawValue) < ($0.bytes.count, $1.kind.rawValue) }
  }

  package var kinds: Set<Kind> { Set(names.map(\.kind)) }

  /// The name of a kind; `nil` when there is none, or it is not replaced.
  package subscript(kind: Kind) -> String? {
    names.first { $0.kind == kind }.map { String(decoding: $0.bytes, as: UTF8.self) }
  }

  /// The bytes with the names replaced. A path is replaced where it stands as a whole, not where it
  /// is a part of a longer name.
  package func replaced(in bytes: [UInt8]) -> [UInt8] {
    guard !names.isEmpty else { return bytes }
    var starts = [Bool](repeating: false, count: 256)
    for name in names { starts[Int(name.bytes[0])] = true }
    var result: [UInt8] = []
    bytes.withUnsafeBufferPointer { source in
      var (position, copied) = (0, 0)
      while position < source.count {
        guard starts[Int(source[position])],
          let name = names.first(where: { Self.stands($0, in: source, at: position) })
        else {
          position += 1
          continue
        }
        result += source[copied..<position]
        result += name.placeholder
        position += name.bytes.count
        copied = position
      }
      result += source[copied...]
    }
    return result
  }

  package func replaced(in text: String) -> String {
    String(decoding: replaced(in: Array(text.utf8)), as: UTF8.self)
  }

  private static func stands(
    _ name: Name, in source: UnsafeBufferPointer<UInt8>, at position: Int
  ) -> Bool {
    let end = position + name.bytes.count
    guard end <= source.count, source[position..<end].elementsEqual(name.bytes) else {
      return false
    }
    guard name.kind.isPath else { return true }
    if position > 0, isPartOfName(source[position - 1]) || source[position - 1] == 46 {
      return false
    }
    guard end < source.count else { return true }
    if isPartOfName(source[end]) { return false }
    return source[end] != 46 || end + 1 == source.count || !isPartOfName(source[end + 1])
  }

  /// Letters, digits, `_`, `-` and what is not ASCII.
  private static func isPartOfName(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x80..., 45, 48...57, 65...90, 95, 97...122: true
    default: false
    }
  }
}
