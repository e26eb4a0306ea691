extension MetadataComparison {
  mutating func compareIntents(_ old: [MetadataIntent], _ new: [MetadataIntent]) {
    walk(
      old, new, name: \.identifier,
      removed: { comparison, intent in
        let renamed = Self.renamed(intent, among: new, old)
        comparison.note(
          renamed == nil ? .removed : .renamed, .intent(intent.identifier),
          renamed.map { "intent '\(intent.identifier)' has the identifier '\($0)' now" }
            ?? "intent '\(intent.identifier)' is gone", breaks: true)
      },
      added: { comparison, intent in
        guard !old.contains(where: { Self.renamed($0, among: [intent], old) != nil }) else {
          return
        }
        comparison.note(.added, .intent(intent.identifier), "intent '\(intent.identifier)' is new")
      },
      both: { $0.compare($1, $2) })
  }

  /// The identifier that a removed intent has now: that of a new one of the same type.
  private static func renamed(
    _ intent: MetadataIntent, among new: [MetadataIntent], _ old: [MetadataIntent]
  ) -> String? {
    guard let type = intent.typeName else { return nil }
    let known = Set(old.map(\.identifier))
    guard !new.contains(where: { $0.identifier == intent.identifier }) else { return nil }
    return new.first { $0.typeName == type && !known.contains($0.identifier) }?.identifier
  }

  private mutating func compare(_ old: MetadataIntent, _ new: MetadataIntent) {
    let item = MetadataItem.intent(old.identifier)
    compareParameters(old, new)
    if old.outputType != new.outputType {
      note(
        .changed, item,
        "the result of \(item.name) was \(Self.text(old.outputType)), is "
          + Self.text(new.outputType), breaks: old.outputType != nil)
    }
    compareText("title", old.title, new.title, of: item)
    compareText("description", old.descriptionText, new.descriptionText, of: item)
    if old.isDiscoverable != new.isDiscoverable {
      note(
        .changed, item,
        new.isDiscoverable
          ? "\(item.name) is found in lists now" : "\(item.name) is not found in lists any more")
    }
    if old.opensApp != new.opensApp {
      note(
        .changed, item,
        new.opensApp ? "\(item.name) opens the app now" : "\(item.name) does not open the app now")
    }
    if !old.isDeprecated, new.isDeprecated {
      note(
        .changed, item,
        "\(item.name) is deprecated" + (new.replacement.map { "; '\($0)' takes its place" } ?? ""))
    }
    compareAvailability(old, new)
    if old.summary?.sentences != new.summary?.sentences {
      note(.changed, item, "the summary of \(item.name) is another one")
    }
  }

  /// A newer system than before breaks what older ones have.
  private mutating func compareAvailability(_ old: MetadataIntent, _ new: MetadataIntent) {
    guard old.availability != new.availability else { return }
    let item = MetadataItem.intent(old.identifier)
    let text = { (list: [MetadataAvailability]) -> String in
      list.map { "\($0.platform) \($0.introduced ?? "*")" }.joined(separator: ", ")
    }
    note(
      .changed, item,
      "\(item.name) was for \(text(old.availability)), is for \(text(new.availability))")
  }

  private mutating func compareParameters(_ old: MetadataIntent, _ new: MetadataIntent) {
    let intent = old.identifier
    let later = Set(new.parameters.map(\.name))
    let earlier = Set(old.parameters.map(\.name))
    var candidates = new.parameters.filter { !earlier.contains($0.name) }
    for parameter in old.parameters where !later.contains(parameter.name) {
      let item = MetadataItem.parameter(intent: intent, parameter.name)
      // The same type with the same title is the same parameter with another name.
      let index = candidates.firstIndex {
        $0.type == parameter.type && $0.title?.key == parameter.title?.key
      }
      if let index {
        let renamed = candidates.remove(at: index)
        note(
          .renamed, item, "\(item.name) is called '\(renamed.name)' now", breaks: true)
      } else {
        note(.removed, item, "\(item.name) is gone", breaks: true)
      }
    }
    for parameter in candidates {
      let item = MetadataItem.parameter(intent: intent, parameter.name)
      let isRequired = Self.isRequired(parameter)
      note(
        .added, item, isRequired ? "\(item.name) is new and required" : "\(item.name) is new",
        breaks: isRequired)
    }
    for parameter in old.parameters {
      if let match = new.parameters.first(where: { $0.name == parameter.name }) {
        compare(parameter, match, intent)
      }
    }
  }

  private mutating func compare(
    _ old: MetadataParameter, _ new: MetadataParameter, _ intent: String
  ) {
    let item = MetadataItem.parameter(intent: intent, old.name)
    if old.type != new.type {
      note(
        .changed, item, "the type of \(item.name) was \(old.type), is \(new.type)", breaks: true)
    }
    if Self.isRequired(old) != Self.isRequired(new) {
      let isRequired = Self.isRequired(new)
      note(
        .changed, item,
        isRequired ? "\(item.name) is required now" : "\(item.name) may be left out now",
        breaks: isRequired)
    } else if old.defaultValue != new.defaultValue {
      note(.changed, item, "the default of \(item.name) is another one")
    }
    if (old.lowerBound, old.upperBound) != (new.lowerBound, new.upperBound) {
      let isNarrower =
        (new.lowerBound ?? -.infinity) > (old.lowerBound ?? -.infinity)
        || (new.upperBound ?? .infinity) < (old.upperBound ?? .infinity)
      note(
        .changed, item,
        "the range of \(item.name) was \(Self.range(old)), is \(Self.range(new))",
        breaks: isNarrower)
    }
    compareText("title", old.title, new.title, of: item)
  }

  private static func isRequired(_ parameter: MetadataParameter) -> Bool {
    !parameter.isOptional && parameter.defaultValue == nil
  }

  private static func text(_ type: MetadataValueType?) -> String {
    type.map { "\($0)" } ?? "nothing"
  }

  private static func range(_ parameter: MetadataParameter) -> String {
    let bound = { (value: Double?) in value.map { "\($0)" } ?? "" }
    return "\(bound(parameter.lowerBound))...\(bound(parameter.upperBound))"
  }
}
