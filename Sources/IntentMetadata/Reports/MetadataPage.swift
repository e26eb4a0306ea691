import IntentWire

/// Metadata as a page for people: what an app can do, in text or Markdown.
///
/// Texts of the metadata are as they are in it; who prints the page makes them safe for a terminal.
package struct MetadataPage {
  package enum Style: String, Sendable, CaseIterable {
    case text, markdown
  }

  private let style: Style
  private var lines: [String] = []

  /// - Parameters:
  ///   - title: What the metadata is of.
  ///   - facts: Names and values above the lists, for example of the version.
  package static func render(
    _ metadata: AppMetadata, title: String, facts: [(String, String)] = [], style: Style
  ) -> String {
    var page = MetadataPage(style: style)
    page.heading(title, level: 1)
    var facts = facts
    if let generator = metadata.generator {
      facts.append(("written by", "\(generator.name) \(generator.version)"))
    }
    for (name, value) in facts { page.item("\(name): \(value)", level: 0) }
    page.list("Intents", metadata.intents) { $0.show($1) }
    page.list("Entities", metadata.entities) { $0.show($1, of: metadata) }
    page.list("Enumerations", metadata.enumerations) { $0.show($1) }
    page.list("App Shortcuts", metadata.shortcuts) { $0.show($1) }
    if !metadata.unknownKeys.isEmpty {
      page.heading("Not understood", level: 2)
      for (key, count) in metadata.unknownKeys.sorted(by: { $0.key < $1.key }) {
        page.item("\(key): \(count)", level: 0)
      }
    }
    while page.lines.last?.isEmpty == true { page.lines.removeLast() }
    return page.lines.joined(separator: "\n") + "\n"
  }

  private init(style: Style) { self.style = style }

  private mutating func list<Node>(
    _ name: String, _ nodes: [Node], _ show: (inout Self, Node) -> Void
  ) {
    guard !nodes.isEmpty else { return }
    heading("\(name) (\(nodes.count))", level: 2)
    for node in nodes { show(&self, node) }
  }

  // MARK: Kinds

  private mutating func show(_ intent: MetadataIntent) {
    heading(named(intent.title, intent.identifier), level: 3)
    if let text = intent.descriptionText { paragraph(text.key) }
    var facts: [String] = []
    if !intent.isDiscoverable { facts.append("not discoverable") }
    if intent.opensApp { facts.append("opens the app") }
    if let type = intent.outputType { facts.append("returns \(type)") }
    if intent.providesDialog { facts.append("says something") }
    if intent.isDeprecated {
      facts.append("deprecated" + (intent.replacement.map { ", use \($0)" } ?? ""))
    }
    let systems = intent.availability.filter { $0.platform != "*" }
      .map { "\($0.platform) \($0.introduced ?? "")" }
    if !systems.isEmpty { facts.append("from " + systems.joined(separator: ", ")) }
    if !facts.isEmpty { item(facts.joined(separator: "; "), level: 0) }
    for sentence in intent.summary?.sentences ?? [] where !sentence.isEmpty {
      item("summary: \(sentence)", level: 0)
    }
    for parameter in intent.parameters { show(parameter) }
  }

  private mutating func show(_ parameter: MetadataParameter) {
    var text = "\(parameter.name): \(parameter.type)\(parameter.isOptional ? "?" : "")"
    if let value = parameter.defaultValue?.members?.first?.value["wrapper"] {
      text += " = \(String(decoding: value.bytes, as: UTF8.self))"
    }
    if parameter.lowerBound != nil || parameter.upperBound != nil {
      let bound = { (number: Double?) in number.map { shortNumber($0) } ?? "" }
      text += ", \(bound(parameter.lowerBound))...\(bound(parameter.upperBound))"
    }
    switch parameter.dynamicOptions {
    case 1: text += ", with suggestions"
    case 2: text += ", can be searched for"
    default: break
    }
    if let title = parameter.title { text += " (\(title.key))" }
    item(text, level: 0)
    if let description = parameter.descriptionText { item(description.key, level: 1) }
  }

  private mutating func show(_ entity: MetadataEntity, of metadata: AppMetadata) {
    heading(named(entity.title, entity.typeName), level: 3)
    var facts: [String] = []
    if let name = entity.defaultQuery {
      let query = metadata.queries.first { $0.qualifiedIdentifier == name || $0.identifier == name }
      facts.append("query \(name)" + (query?.matchesText == true ? ", searches for texts" : ""))
    } else {
      facts.append("no query")
    }
    if entity.isIndexed { facts.append("in the search index") }
    if entity.isTransient { facts.append("transient") }
    item(facts.joined(separator: "; "), level: 0)
    for property in entity.properties {
      let title = property.title.map { " (\($0.key))" } ?? ""
      item(
        "\(property.identifier): \(property.type)\(property.isOptional ? "?" : "")\(title)",
        level: 0)
    }
  }

  private mutating func show(_ enumeration: MetadataEnumeration) {
    heading(named(enumeration.title, enumeration.identifier), level: 3)
    for value in enumeration.cases {
      let synonyms = value.synonyms.map(\.key)
      item(
        named(value.title, value.identifier)
          + (synonyms.isEmpty ? "" : ", also " + synonyms.joined(separator: ", ")), level: 0)
    }
  }

  private mutating func show(_ shortcut: MetadataShortcut) {
    heading(named(shortcut.title, shortcut.intent), level: 3)
    if let image = shortcut.image { item("image: \(image)", level: 0) }
    for phrase in shortcut.phrases { item("\"\(phrase.key)\"", level: 0) }
  }

  // MARK: Style

  private func named(_ title: MetadataText?, _ identifier: String) -> String {
    guard let title, title.key != identifier else { return identifier }
    return "\(title.key) (\(identifier))"
  }

  private mutating func heading(_ text: String, level: Int) {
    if lines.last?.isEmpty == false { lines.append("") }
    switch style {
    case .text: lines.append(String(repeating: "  ", count: level - 1) + text)
    case .markdown:
      lines.append(String(repeating: "#", count: level) + " " + escaped(text))
      lines.append("")
    }
  }

  private mutating func paragraph(_ text: String) {
    switch style {
    case .text: lines.append("      " + text)
    case .markdown:
      lines.append(escaped(text))
      lines.append("")
    }
  }

  private mutating func item(_ text: String, level: Int) {
    let indent = String(repeating: "  ", count: level)
    switch style {
    case .text: lines.append("      " + indent + text)
    case .markdown: lines.append("\(indent)- \(escaped(text))")
    }
  }

  /// Markdown's own characters as text (CommonMark 0.31, backslash escapes).
  private func escaped(_ text: String) -> String {
    guard style == .markdown else { return text }
    let special: Set<Character> = ["\\", "`", "*", "_", "[", "]", "<", ">", "#", "|", "~"]
    return text.reduce(into: "") { result, character in
      if special.contains(character) { result.append("\\") }
      result.append(character.isNewline ? " " : character)
    }
  }
}

/// A number without a fraction where it has none.
func shortNumber(_ number: Double) -> String {
  Int64(exactly: number).map { "\($0)" } ?? "\(number)"
}
