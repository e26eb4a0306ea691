/// A place in a test's source that names something of an app: `app.intents["CreateNote"]`.
package struct NamedDefinition: Hashable, Sendable {
  package enum Kind: String, Sendable, CaseIterable {
    case intent, entity
    case enumeration = "enum"

    fileprivate init?(collection: String) {
      switch collection {
      case "intents": self = .intent
      case "entities": self = .entity
      case "enums": self = .enumeration
      default: return nil
      }
    }
  }

  package var kind: Kind
  package var name: String
  /// That of the app, when the variable has one in the same file; `nil` when it can be any.
  package var bundleIdentifier: String?
  /// From 1.
  package var line: Int

  package init(kind: Kind, name: String, bundleIdentifier: String? = nil, line: Int) {
    self.kind = kind
    self.name = name
    self.bundleIdentifier = bundleIdentifier
    self.line = line
  }

  /// What a comment says before or on a line with a name that no app is to have.
  package static let suppression = "name-not-registered"

  /// All names that are literals in a file that imports the testing library, in its order.
  ///
  /// - Parameter source: The bytes of a file.
  package static func all(in source: [UInt8]) -> [NamedDefinition] {
    let scanned = SwiftTokens(source)
    let tokens = scanned.tokens
    guard importsTesting(tokens) else { return [] }
    let bundles = bundleIdentifiers(tokens)
    let suppressions = SourceSuppressions(scanned)
    var found: [NamedDefinition] = []
    for index in tokens.indices.dropFirst().dropLast(3) {
      guard let word = tokens[index].word, let kind = Kind(collection: word),
        tokens[index - 1].isSymbol("."), tokens[index + 1].isSymbol("["),
        let name = tokens[index + 2].literal, tokens[index + 3].isSymbol("]"),
        !suppressions.contains(Self.suppression, line: tokens[index + 2].line)
      else { continue }
      found.append(
        NamedDefinition(
          kind: kind, name: name,
          bundleIdentifier: kind == .enumeration
            ? nil : bundleIdentifier(before: index - 1, tokens, bundles),
          line: tokens[index + 2].line))
    }
    return found
  }

  private static func importsTesting(_ tokens: [SwiftToken]) -> Bool {
    tokens.indices.dropLast().contains {
      tokens[$0].word == "import" && tokens[$0 + 1].word == "AppIntentsTesting"
    }
  }

  // MARK: Apps

  private static let type = "IntentDefinitions"

  /// The identifier of what is before the dot at an index.
  private static func bundleIdentifier(
    before dot: Int, _ tokens: [SwiftToken], _ bundles: [String: String]
  ) -> String? {
    guard dot > 0 else { return nil }
    if let word = tokens[dot - 1].word { return bundles[word] }
    guard dot >= 6, tokens[dot - 1].isSymbol(")") else { return nil }
    return made(at: dot - 6, tokens)
  }

  /// The literal of `IntentDefinitions(bundleIdentifier: "…")` at an index.
  private static func made(at index: Int, _ tokens: [SwiftToken]) -> String? {
    guard index + 5 < tokens.count, tokens[index].word == type, tokens[index + 1].isSymbol("("),
      tokens[index + 2].word == "bundleIdentifier", tokens[index + 3].isSymbol(":"),
      tokens[index + 5].isSymbol(")")
    else { return nil }
    return tokens[index + 4].literal
  }

  /// Those of variables that are made with one literal, wherever in the file; a name that stands
  /// for several, or for one that is not known, is left out.
  private static func bundleIdentifiers(_ tokens: [SwiftToken]) -> [String: String] {
    var known: [String: Set<String?>] = [:]
    for index in tokens.indices.dropLast() {
      guard let word = tokens[index].word else { continue }
      if word == "let" || word == "var", let name = tokens[index + 1].word {
        known[name, default: []].insert(initialIdentifier(behind: index + 2, tokens))
      } else if tokens[index + 1].isSymbol(":"), index + 2 < tokens.count,
        tokens[index + 2].word == type,
        index == 0 || !["let", "var"].contains(tokens[index - 1].word)
      {
        // A parameter.
        known[word, default: []].insert(nil)
      }
    }
    return known.compactMapValues { $0.count == 1 ? $0.first ?? nil : nil }
  }

  /// That of a variable whose name is before an index.
  private static func initialIdentifier(behind index: Int, _ tokens: [SwiftToken]) -> String? {
    var index = index
    if index + 1 < tokens.count, tokens[index].isSymbol(":"), tokens[index + 1].word == type {
      index += 2
    }
    guard index + 1 < tokens.count, tokens[index].isSymbol("=") || tokens[index].isSymbol("{")
    else { return nil }
    return made(at: index + 1, tokens)
  }
}
