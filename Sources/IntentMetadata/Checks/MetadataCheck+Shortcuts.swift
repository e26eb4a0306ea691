extension MetadataCheck {
  mutating func checkShortcuts() {
    let shortcuts = metadata.shortcuts
    if shortcuts.count > MetadataRule.maximumShortcuts {
      report(
        .tooManyShortcuts, .shortcut(MetadataRule.maximumShortcuts),
        "the app has \(shortcuts.count) App Shortcuts, \(MetadataRule.maximumShortcuts) are allowed"
      )
    }
    checkPhraseCount(shortcuts)
    let intents = Dictionary(
      metadata.intents.map { ($0.identifier, $0) }, uniquingKeysWith: { first, _ in first })
    for (number, shortcut) in shortcuts.enumerated() {
      let item = MetadataItem.shortcut(number)
      if shortcut.title == nil, !isUnknown("shortTitle", of: item) {
        report(.missingTitle, item, "\(shortcutName(item)) has no short title")
      }
      guard let intent = intents[shortcut.intent] else {
        report(
          .unknownShortcutIntent, item,
          "\(shortcutName(item)) is of the intent '\(shortcut.intent)', which is not there")
        continue
      }
      check(shortcut, number, intent)
    }
  }

  /// Each value of an enumeration in a phrase makes one phrase; entities are only known at run
  /// time.
  private mutating func checkPhraseCount(_ shortcuts: [MetadataShortcut]) {
    var count = 0
    for shortcut in shortcuts {
      let intent = metadata.intents.first { $0.identifier == shortcut.intent }
      for phrase in shortcut.phrases {
        let name = Self.placeholders(phrase.key).first { $0 != "applicationName" }
        let type = intent?.parameters.first { $0.name == name }?.type.kind
        guard case .enumeration(let identifier)? = type else {
          count += 1
          continue
        }
        let cases = metadata.enumerations.first { $0.identifier == identifier }?.cases.count ?? 1
        count += max(cases, 1)
      }
    }
    if count > MetadataRule.maximumPhrases {
      report(
        .tooManyPhrases, .shortcut(0),
        "the app has \(count) phrases, \(MetadataRule.maximumPhrases) are allowed")
    }
  }

  private mutating func check(_ shortcut: MetadataShortcut, _ number: Int, _ intent: MetadataIntent)
  {
    let item = MetadataItem.shortcut(number)
    if !intent.isDiscoverable {
      report(
        .hiddenIntentInShortcut, item,
        "\(shortcutName(item)) is of the intent '\(intent.identifier)', which is not discoverable")
    }
    var filled: Set<String> = []
    for (index, phrase) in shortcut.phrases.enumerated() {
      let phraseItem = MetadataItem.phrase(shortcut: number, index)
      let names = Self.placeholders(phrase.key)
      check(phrase.key, names, intent, phraseItem)
      filled.formUnion(names)
    }
    for parameter in intent.parameters
    where !parameter.isOptional && parameter.defaultValue == nil
      && !filled.contains(parameter.name)
      && !isUnknown("default", of: .parameter(intent: intent.identifier, parameter.name))
    {
      report(
        .requiredParameterInShortcut, item,
        "\(shortcutName(item)) does not say what '\(parameter.name)' of '\(intent.identifier)' is")
    }
  }

  private mutating func check(
    _ phrase: String, _ names: [String], _ intent: MetadataIntent, _ item: MetadataItem
  ) {
    if !names.contains("applicationName") {
      report(
        .phraseWithoutApplicationName, item, "the phrase \"\(phrase)\" does not name the app")
    }
    let parameters = names.filter { $0 != "applicationName" && $0 != "?" }
    if parameters.count > 1 {
      report(
        .severalParametersInPhrase, item,
        "the phrase \"\(phrase)\" has \(parameters.count) parameters")
    }
    for name in parameters {
      guard let parameter = intent.parameters.first(where: { $0.name == name }) else {
        report(
          .unknownPhraseParameter, item,
          "the phrase \"\(phrase)\" has '\(name)', which '\(intent.identifier)' does not have")
        continue
      }
      switch parameter.type.kind {
      case .entity, .enumeration: break
      default:
        report(
          .phraseParameterType, item,
          "the phrase \"\(phrase)\" has '\(name)', a value of type \(parameter.type)")
      }
    }
  }

  /// The names in `${…}` of a template, in order.
  static func placeholders(_ template: String) -> [String] {
    var names: [String] = []
    var rest = template[...]
    while let start = rest.firstIndex(of: "$") {
      rest = rest[rest.index(after: start)...]
      guard rest.first == "{" else { continue }
      guard let end = rest.firstIndex(of: "}") else { break }
      names.append(String(rest[..<end].dropFirst()))
      rest = rest[rest.index(after: end)...]
    }
    return names
  }

  /// Whether a value is only known when the app runs.
  func isUnknown(_ member: String, of item: MetadataItem) -> Bool {
    declared.unknowns.contains { $0.item == item && $0.member == member }
  }
}
