package import IntentWire

extension WireJSON {
  /// The value's text in lines for people and for comparison by lines, in the order of the value,
  /// with a line feed at its end.
  package var prettyText: String {
    var text = ""
    Self.write(self, indent: 0, to: &text)
    return text + "\n"
  }

  private static func write(_ value: WireJSON, indent: Int, to text: inout String) {
    switch value {
    case .array(let values) where !values.isEmpty:
      list("[", "]", values, indent: indent, to: &text) { value, text in
        write(value, indent: indent + 1, to: &text)
      }
    case .object(let members) where !members.isEmpty:
      list("{", "}", members, indent: indent, to: &text) { member, text in
        text += String(decoding: WireJSON.string(member.key).bytes, as: UTF8.self) + ": "
        write(member.value, indent: indent + 1, to: &text)
      }
    default: text += String(decoding: value.bytes, as: UTF8.self)
    }
  }

  private static func list<Element>(
    _ open: String, _ close: String, _ elements: [Element], indent: Int, to text: inout String,
    _ body: (Element, inout String) -> Void
  ) {
    text += open + "\n"
    for (index, element) in elements.enumerated() {
      text += String(repeating: "  ", count: indent + 1)
      body(element, &text)
      text += index + 1 < elements.count ? ",\n" : "\n"
    }
    text += String(repeating: "  ", count: indent) + close
  }
}
