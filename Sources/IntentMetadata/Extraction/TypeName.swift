/// The name of a type as the compiler writes it, taken apart: `Swift.Optional<Swift.Array<App.T>>`.
struct TypeName: Hashable {
  var name: String
  var arguments: [TypeName] = []

  /// `nil` when it is no name with arguments, for example a function's type.
  init?(_ text: String) {
    var rest = text[...]
    guard let name = Self.read(&rest), rest.isEmpty else { return nil }
    self = name
  }

  private init(name: String, arguments: [TypeName]) {
    self.name = name
    self.arguments = arguments
  }

  private static func read(_ text: inout Substring) -> TypeName? {
    let name = text.prefix { !"<>,()".contains($0) }
    guard !name.isEmpty else { return nil }
    text = text[name.endIndex...]
    var arguments: [TypeName] = []
    guard text.first == "<" else { return TypeName(name: String(name), arguments: []) }
    repeat {
      text = text.dropFirst()
      text = text.drop { $0 == " " }
      guard let argument = read(&text) else { return nil }
      arguments.append(argument)
    } while text.first == ","
    guard text.first == ">" else { return nil }
    text = text.dropFirst()
    return TypeName(name: String(name), arguments: arguments)
  }
}
