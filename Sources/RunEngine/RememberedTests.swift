import FoundationEssentials
import RunModel

/// The tests of a product as they are kept between runs: text, because reading JSON of some hundred
/// tests takes longer than all else before the first of them starts.
///
/// The first two lines are the identity and the product. Each test is a line with its fields
/// between unit separators, or JSON when a field has a character that separates.
struct RememberedTests {
  var identity: String
  var product: String
  var tests: [TestDescriptor]

  private static let field: UInt8 = 0x1F
  private static let item: UInt8 = 0x1E
  private static let line: UInt8 = 0x0A

  init(identity: String, product: String, tests: [TestDescriptor]) {
    self.identity = identity
    self.product = product
    self.tests = tests
  }

  /// - Returns: `nil` when the bytes are no such text.
  init?(reading bytes: [UInt8]) {
    var lines = bytes.split(separator: Self.line, omittingEmptySubsequences: false)
    guard lines.count >= 3, lines.removeLast().isEmpty else { return nil }
    identity = String(decoding: lines.removeFirst(), as: UTF8.self)
    product = String(decoding: lines.removeFirst(), as: UTF8.self)
    tests = []
    tests.reserveCapacity(lines.count)
    for line in lines {
      guard let test = Self.test(line, product) else { return nil }
      tests.append(test)
    }
  }

  /// `nil` when it cannot be written.
  var text: [UInt8]? {
    var bytes: [UInt8] = []
    guard !identity.utf8.contains(Self.line), !product.utf8.contains(Self.line) else { return nil }
    bytes += identity.utf8
    bytes.append(Self.line)
    bytes += product.utf8
    bytes.append(Self.line)
    for test in tests {
      if let plain = plain(test) {
        bytes += plain
      } else if let json = try? JSONEncoder().encode(test) {
        bytes += json
      } else {
        return nil
      }
      bytes.append(Self.line)
    }
    return bytes
  }

  private func plain(_ test: TestDescriptor) -> [UInt8]? {
    guard ExactText(test.id.product) == ExactText(product) else { return nil }
    let place = test.location
    let fields = [
      test.id.library.rawValue, test.id.name, test.libraryID, test.displayName ?? "",
      place?.file ?? "", place.map { "\($0.line)" } ?? "",
      place?.column.map { "\($0)" } ?? "",
      (test.isParameterized ? "p" : "") + (test.usesIntents ? "i" : "")
        + (test.displayName == nil ? "" : "d"),
    ]
    let separators = [Self.field, Self.item, Self.line]
    guard !(fields + test.tags).contains(where: { $0.utf8.contains(where: separators.contains) }),
      !test.tags.contains("")
    else { return nil }
    var bytes: [UInt8] = []
    for field in fields {
      bytes += field.utf8
      bytes.append(Self.field)
    }
    for tag in test.tags {
      bytes += tag.utf8
      bytes.append(Self.item)
    }
    return bytes
  }

  private static func test(_ line: ArraySlice<UInt8>, _ product: String) -> TestDescriptor? {
    if line.first == UInt8(ascii: "{") {
      return try? JSONDecoder().decode(TestDescriptor.self, from: Data(line))
    }
    let fields = line.split(separator: field, omittingEmptySubsequences: false)
    guard fields.count == 9 else { return nil }
    func text(_ index: Int) -> String { String(decoding: fields[index], as: UTF8.self) }
    guard let library = TestLibrary(rawValue: text(0)) else { return nil }
    let flags = fields[7]
    return TestDescriptor(
      id: TestID(product: product, library: library, name: text(1)),
      displayName: flags.contains(UInt8(ascii: "d")) ? text(3) : nil,
      location: Int(text(5)).map {
        SourceLocation(file: text(4), line: $0, column: Int(text(6)))
      },
      isParameterized: flags.contains(UInt8(ascii: "p")),
      tags: fields[8].split(separator: item).map { String(decoding: $0, as: UTF8.self) },
      libraryID: text(2), usesIntents: flags.contains(UInt8(ascii: "i")))
  }
}
