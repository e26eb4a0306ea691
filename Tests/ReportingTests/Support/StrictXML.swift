/// An element of a document that was read.
struct XMLElement {
  var name: String
  var attributes: [String: String] = [:]
  var children: [XMLElement] = []
  /// The text directly inside.
  var text = ""

  func all(_ name: String) -> [XMLElement] { children.filter { $0.name == name } }

  func property(_ name: String) -> String? {
    all("properties").first?.children.first { $0.attributes["name"] == name }?.attributes["value"]
  }

  func number(_ attribute: String) -> Int? { attributes[attribute].flatMap { Int($0) } }
}

/// A reader of the XML 1.0 that the tests expect, stricter than the specification: no comments, no
/// CDATA, no DTD, and no character that the specification forbids or discourages.
struct StrictXML {
  struct Malformed: Error, CustomStringConvertible {
    var description: String
  }

  private let source: [Unicode.Scalar]
  private var index = 0

  static func parse(_ text: String) throws -> XMLElement {
    var parser = StrictXML(source: Array(text.unicodeScalars))
    let declaration = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    try parser.expect(declaration)
    let root = try parser.element()
    parser.skipSpace()
    guard parser.index == parser.source.count else { throw parser.malformed("text behind root") }
    return root
  }

  private init(source: [Unicode.Scalar]) { self.source = source }

  private func malformed(_ message: String) -> Malformed {
    let context = source[max(0, index - 40)..<min(source.count, index + 20)]
    var text = ""
    text.unicodeScalars.append(contentsOf: context)
    return Malformed(description: "\(message) at \(index): \(text.debugDescription)")
  }

  private var next: Unicode.Scalar? { index < source.count ? source[index] : nil }

  private func has(_ text: String) -> Bool { source[index...].starts(with: text.unicodeScalars) }

  private mutating func expect(_ text: String) throws {
    guard has(text) else { throw malformed("expected \(text)") }
    index += text.unicodeScalars.count
  }

  private mutating func skipSpace() {
    while let next, next == " " || next == "\n" { index += 1 }
  }

  private mutating func name() throws -> String {
    var name = ""
    while let next, next.isASCII, next.properties.isAlphabetic || next == "-" || next == "." {
      name.unicodeScalars.append(next)
      index += 1
    }
    guard !name.isEmpty else { throw malformed("expected a name") }
    return name
  }

  private mutating func element() throws -> XMLElement {
    try expect("<")
    var element = XMLElement(name: try name())
    while next == " " {
      index += 1
      let name = try name()
      try expect("=\"")
      let value = try characters(until: "\"")
      try expect("\"")
      guard element.attributes.updateValue(value, forKey: name) == nil else {
        throw malformed("attribute \(name) twice")
      }
    }
    if has("/>") {
      index += 2
      return element
    }
    try expect(">")
    while true {
      element.text += try characters(until: "<")
      if has("</") { break }
      element.children.append(try self.element())
    }
    try expect("</\(element.name)>")
    return element
  }

  private mutating func characters(until end: Unicode.Scalar) throws -> String {
    var result = String.UnicodeScalarView()
    while let scalar = next, scalar != end {
      switch scalar.value {
      case 0x26: result.append(try reference())
      case 0x3C: throw malformed("< in text")
      case 0x3E: throw malformed("> that is not escaped")
      case 0x09, 0x0A:
        guard end == "<" else { throw malformed("line end or tab in an attribute") }
        fallthrough
      case 0x20..<0x7F, 0xA0...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF:
        result.append(scalar)
        index += 1
      default: throw malformed("character \(scalar.value) that XML cannot hold")
      }
    }
    guard next == end else { throw malformed("end of text") }
    return String(result)
  }

  private mutating func reference() throws -> Unicode.Scalar {
    let known: [(String, Unicode.Scalar)] = [
      ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&"), ("&quot;", "\""), ("&#9;", "\t"),
      ("&#10;", "\n"), ("&#13;", "\r"),
    ]
    guard let (text, scalar) = known.first(where: { has($0.0) }) else {
      throw malformed("unknown reference")
    }
    index += text.unicodeScalars.count
    return scalar
  }
}
