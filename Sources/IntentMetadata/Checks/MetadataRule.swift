/// How bad a finding is.
package enum FindingSeverity: String, Sendable, CaseIterable, Comparable {
  /// Something does not work for people.
  case error
  /// Something is likely not meant so.
  case warning
  /// Something could be better.
  case note
  /// Not reported.
  case off

  package static func < (left: Self, right: Self) -> Bool { left.rank > right.rank }

  private var rank: Int {
    switch self {
    case .error: 0
    case .warning: 1
    case .note: 2
    case .off: 3
    }
  }
}

/// What is looked for in App Intents metadata. The names are stable.
///
/// Limits and rules are those of Apple's documentation of App Shortcuts, and of what builds and
/// devices are known to do with metadata that breaks them.
package enum MetadataRule: String, Sendable, CaseIterable {
  case phraseWithoutApplicationName = "phrase-without-application-name"
  case tooManyShortcuts = "too-many-shortcuts"
  case tooManyPhrases = "too-many-phrases"
  case severalParametersInPhrase = "several-parameters-in-phrase"
  case phraseParameterType = "phrase-parameter-type"
  case unknownPhraseParameter = "unknown-phrase-parameter"
  case phrasesNotLiteral = "phrases-not-literal"
  case requiredParameterInShortcut = "required-parameter-in-shortcut"
  case textNotLiteral = "text-not-literal"
  case unknownShortcutIntent = "unknown-shortcut-intent"
  case providerInLibrary = "provider-in-library"
  case severalProviders = "several-providers"
  case opensAppInExtension = "opens-app-in-extension"
  case hiddenIntentInShortcut = "hidden-intent-in-shortcut"
  case duplicateName = "duplicate-name"
  case entityWithoutQuery = "entity-without-query"
  case queryWithoutTextSearch = "query-without-text-search"
  case parameterNotInSummary = "parameter-not-in-summary"
  case debugIntentInRelease = "debug-intent-in-release"
  case missingTitle = "missing-title"
  case missingDescription = "missing-description"
  case unresolvedKey = "unresolved-localization-key"
  case unknownType = "unknown-type"
  case registrationDiffers = "registration-differs"

  /// The largest number of App Shortcuts of an app (Apple's documentation of
  /// `AppShortcutsProvider`).
  package static let maximumShortcuts = 10
  /// The largest number of phrases of an app, those for different values of parameters included
  /// (the same).
  package static let maximumPhrases = 1000

  package var severity: FindingSeverity {
    switch self {
    case .phraseWithoutApplicationName, .tooManyShortcuts, .tooManyPhrases,
      .severalParametersInPhrase, .phraseParameterType, .unknownPhraseParameter,
      .phrasesNotLiteral, .textNotLiteral, .unknownShortcutIntent, .providerInLibrary,
      .severalProviders, .opensAppInExtension, .duplicateName, .entityWithoutQuery, .missingTitle,
      .registrationDiffers:
      .error
    case .requiredParameterInShortcut, .hiddenIntentInShortcut, .queryWithoutTextSearch,
      .parameterNotInSummary, .debugIntentInRelease, .unresolvedKey, .unknownType:
      .warning
    case .missingDescription: .note
    }
  }

  /// Why it is looked for.
  package var explanation: String {
    switch self {
    case .phraseWithoutApplicationName:
      "Siri only listens for phrases that name the app; others are dropped, or end the build."
    case .tooManyShortcuts:
      "An app has at most \(Self.maximumShortcuts) App Shortcuts; the system leaves out the rest."
    case .tooManyPhrases:
      "An app has at most \(Self.maximumPhrases) phrases, counting each value of a parameter in it."
    case .severalParametersInPhrase: "A phrase has at most one parameter."
    case .phraseParameterType:
      "A parameter in a phrase is an entity or an enumeration; a phrase with another one is never "
        + "recognized."
    case .unknownPhraseParameter:
      "The phrase has a placeholder for a parameter that its intent does not have."
    case .phrasesNotLiteral:
      "Phrases are read from the sources when the app is built. One that is made at run time, or "
        + "comes from a constant, is not there, and takes all App Shortcuts of the app with it."
    case .requiredParameterInShortcut:
      "An App Shortcut runs without being set up: a required parameter without a default that no "
        + "phrase fills in is asked for each time."
    case .textNotLiteral:
      "Texts are read from the sources when the app is built; one that is made at run time is "
        + "missing, and Apple's tool ends with an error."
    case .unknownShortcutIntent: "The App Shortcut's intent is not in the metadata."
    case .providerInLibrary:
      "The system finds the App Shortcuts of the app itself; those that a package or framework "
        + "provides are left out without a word."
    case .severalProviders: "An app has one type that provides App Shortcuts; others are left out."
    case .opensAppInExtension:
      "An extension cannot open the app before it performs an intent; the system answers with an "
        + "internal error."
    case .hiddenIntentInShortcut:
      "People cannot find the intent in lists, but its App Shortcut shows it."
    case .duplicateName:
      "Two types have one name; the metadata has only the one that was read last."
    case .entityWithoutQuery:
      "Without a query nobody can make an entity of an identifier, so no parameter can have it."
    case .queryWithoutTextSearch:
      "A text is given for an entity (by voice, or from another action), and its query cannot look "
        + "for it."
    case .parameterNotInSummary:
      "The summary names what can be set in the Shortcuts app; a parameter that is in none of its "
        + "sentences cannot be."
    case .debugIntentInRelease:
      "An intent that looks like one for tests is in a product for people."
    case .missingTitle: "Without a title people see nothing, or the type's name."
    case .missingDescription: "People are not told what the intent does."
    case .unresolvedKey: "The text is a key that the app's string tables do not have."
    case .registrationDiffers:
      "What the sources declare and what the running app has registered are not the same."
    case .unknownType:
      "The value's type is none that App Intents know, so it is not in the metadata."
    }
  }

  /// What to do.
  package var fix: String {
    switch self {
    case .phraseWithoutApplicationName: #"write \(.applicationName) into the phrase"#
    case .tooManyShortcuts: "leave out the least used ones"
    case .tooManyPhrases: "leave out phrases, or offer fewer values of the parameter"
    case .severalParametersInPhrase: "leave one parameter in the phrase, and ask for the others"
    case .phraseParameterType: "make the parameter an AppEntity or AppEnum, or leave it out"
    case .unknownPhraseParameter: "name one of the intent's parameters"
    case .phrasesNotLiteral: "write the phrases as literals where the App Shortcut is made"
    case .requiredParameterInShortcut:
      "give the parameter a default, make it optional, or put it into a phrase"
    case .textNotLiteral: "write the text as one literal"
    case .unknownShortcutIntent: "declare the intent in the app or in a library it is linked with"
    case .providerInLibrary: "move the provider into the app's own target"
    case .severalProviders: "merge the providers into one"
    case .opensAppInExtension: "set openAppWhenRun to false, or move the intent into the app"
    case .hiddenIntentInShortcut: "let isDiscoverable be true, or leave out the App Shortcut"
    case .duplicateName: "rename one, or give it a persistentIdentifier of its own"
    case .entityWithoutQuery: "declare defaultQuery"
    case .queryWithoutTextSearch: "let the query conform to EntityStringQuery"
    case .parameterNotInSummary: "add it to the summary, or to the list below a sentence"
    case .debugIntentInRelease: "put it into #if DEBUG"
    case .missingTitle: "declare a title"
    case .missingDescription: "declare a description"
    case .unresolvedKey: "add the key to the string table, or write the text itself"
    case .registrationDiffers:
      "build the app anew; then see what declares the thing twice, or not at all"
    case .unknownType: "use a type of App Intents, an AppEntity or an AppEnum"
    }
  }
}
