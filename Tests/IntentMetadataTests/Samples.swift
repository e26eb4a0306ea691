import IntentMetadata
import IntentWire

/// Metadata in the shapes that different versions of Xcode write, of apps that do not exist.
enum Samples {
  /// As Xcode 26 writes it: two intents, an entity with its query, an enumeration, a shortcut.
  static let current = """
    {"actions":{
     "OpenNote":{"identifier":"OpenNote","fullyQualifiedTypeName":"Notes.OpenNoteIntent",
      "mangledTypeName":"","mangledTypeNameV2":"5Notes14OpenNoteIntentV",
      "title":{"key":"Open Note","alternatives":[]},"isDiscoverable":true,"openAppWhenRun":true,
      "supportedModes":2,"outputFlags":0,"authenticationPolicy":0,"isAuthPolExplicit":false,
      "presentationStyle":0,"effectiveBundleIdentifiers":[],"requiredCapabilities":[],
      "visibilityMetadata":{"isDiscoverable":true,"assistantOnly":false},
      "availabilityAnnotations":{"LNPlatformNameIOS":{"introducedVersion":"17.0"},
       "LNPlatformNameWildcard":{"introducedVersion":"*"}},
      "systemProtocols":["com.apple.link.systemProtocol.OpenEntity"],
      "systemProtocolMetadata":["com.apple.link.systemProtocol.OpenEntity",{"empty":{}}],
      "typeSpecificMetadata":[],
      "parameters":[{"name":"target","title":{"key":"Note","alternatives":[]},"isOptional":false,
       "isInput":false,"capabilities":8,"dynamicOptionsSupport":1,"inputConnectionBehavior":0,
       "resolvableInputTypes":[],"typeSpecificMetadata":[],
       "valueType":{"entity":{"wrapper":{"typeName":"NoteEntity"}}}}],
      "actionConfiguration":{"actionSummary":{"wrapper":{"summaryString":{
       "formatString":"Open ${target}","parameterIdentifiers":["target"]},
       "otherParameterIdentifiers":[]}}}},
     "CreateNote":{"identifier":"CreateNote","fullyQualifiedTypeName":"Notes.CreateNoteIntent",
      "mangledTypeNameV2":"5Notes16CreateNoteIntentV",
      "title":{"key":"Create Note","alternatives":[]},
      "descriptionMetadata":{"descriptionText":{"key":"Makes a note.","alternatives":[]},
       "categoryName":{"title":{"key":"Writing"}},"searchKeywords":[]},
      "isDiscoverable":true,"openAppWhenRun":false,"supportedModes":1,"outputFlags":4,
      "outputType":{"entity":{"wrapper":{"typeName":"NoteEntity"}}},
      "newKeyOfTomorrow":{"a":[1,2.5,null]},
      "parameters":[{"name":"text","title":{"key":"Text"},"isOptional":false,"capabilities":0,
       "typeSpecificMetadata":[],
       "valueType":{"primitive":{"wrapper":{"typeIdentifier":0}}}},
       {"name":"stars","title":{"key":"Stars"},"isOptional":true,"capabilities":1,
       "newKeyOfTomorrow":1,
       "typeSpecificMetadata":["LNValueTypeMetadataKeyNumberLowerBound",
        {"double":{"wrapper":0}},"LNValueTypeMetadataKeyNumberUpperBound",
        {"double":{"wrapper":5}},"LNValueTypeSpecificMetadataKeyDefaultValue",
        {"int":{"wrapper":3}}],
       "valueType":{"primitive":{"wrapper":{"typeIdentifier":2}}}},
       {"name":"colors","title":{"key":"Colors"},"isOptional":true,"typeSpecificMetadata":[],
       "valueType":{"array":{"wrapper":{"capabilities":3,"memberValueType":
        {"linkEnumeration":{"wrapper":{"identifier":"NoteColor"}}}}}}}],
      "actionConfiguration":{"whenClause":{"wrapper":{"condition":{"comparisonOperator":0,
       "parameterIdentifier":"stars"},"when":{"actionSummary":{"wrapper":{"summaryString":{
       "formatString":"Create ${text} with ${stars}",
       "parameterIdentifiers":["text","stars"]},"otherParameterIdentifiers":[]}}},
       "otherwise":{"actionSummary":{"wrapper":{"summaryString":{
       "formatString":"Create ${text}","parameterIdentifiers":["text"]},
       "otherParameterIdentifiers":["colors"]}}}}}}}},
     "entities":{"NoteEntity":{"typeName":"NoteEntity",
      "fullyQualifiedTypeName":"Notes.NoteEntity","displayTypeName":{"key":"Note"},
      "defaultQueryIdentifier":"Notes.NoteQuery","transient":false,
      "systemProtocolMetadata":["com.apple.appintents.entity.Indexed",{"empty":{}}],
      "properties":[{"identifier":"title","title":{"key":"Title"},"isOptional":false,
       "capabilities":0,"valueType":{"primitive":{"wrapper":{"typeIdentifier":0}}}}]}},
     "queries":{"NoteQuery":{"identifier":"NoteQuery",
      "fullyQualifiedIdentifier":"Notes.NoteQuery","entityType":"NoteEntity",
      "defaultQueryForEntity":true,"capabilities":70,"parameters":[],"sortingOptions":[]}},
     "enums":[{"identifier":"NoteColor","fullyQualifiedTypeName":"Notes.NoteColor",
      "displayTypeName":{"key":"Color"},"isSystem":false,"cases":[
       {"identifier":"red","displayRepresentation":{"title":{"key":"Red"},
        "synonyms":[{"key":"Crimson"}]}},
       {"identifier":"blue","displayRepresentation":{"title":{"key":"Blue"}}}]}],
     "autoShortcuts":[{"actionIdentifier":"OpenNote","shortTitle":{"key":"Open"},
      "systemImageName":"note","availabilityAnnotations":{},
      "phraseTemplates":[{"key":"Open ${target} in ${applicationName}","alternatives":[]}]}],
     "autoShortcutProviderMangledName":"5Notes13NoteShortcutsV",
     "negativePhrases":[{"phrase":{"key":"Close ${applicationName}","alternatives":[]}}],
     "assistantEntities":[],"assistantIntents":[],"assistantIntentNegativePhrases":[],
     "shortcutTileColor":14,"generator":{"name":"xcode-tools","version":"17E192"},"version":1}
    """

  /// As Xcode 15.2 writes it: without qualified names, alternatives and lists of assistants.
  static let early = """
    {"autoShortcuts":[],"queries":{},"negativePhrases":[],"entities":{},"enums":[],
     "actions":{"LampOn":{"identifier":"LampOn","title":{"key":"Lamp On"},"parameters":[],
      "openAppWhenRun":true,"isDiscoverable":true,"mangledTypeName":"5Lamps6LampOnV",
      "mangledTypeNameV2":"5Lamps6LampOnV","systemProtocols":[],"systemProtocolMetadata":[]}},
     "shortcutTileColor":14,"generator":{"name":"xcode-tools","version":"15C500b"},"version":1}
    """

  static func metadata(_ text: String) throws -> AppMetadata {
    try AppMetadata(reading: Array(text.utf8))
  }
}
