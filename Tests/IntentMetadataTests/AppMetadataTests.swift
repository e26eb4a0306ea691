import IntentMetadata
import IntentWire
import Testing

@Suite struct AppMetadataTests {
  @Test func readsWhatXcodeWritesToday() throws {
    let metadata = try Samples.metadata(Samples.current)
    #expect(metadata.intents.map(\.identifier) == ["CreateNote", "OpenNote"])
    let create = try #require(metadata.intents.first)
    #expect(create.title?.key == "Create Note")
    #expect(create.descriptionText?.key == "Makes a note.")
    #expect(create.category?.key == "Writing")
    #expect(create.outputType?.description == "NoteEntity")
    #expect(create.providesDialog)
    #expect(create.parameters.map(\.name) == ["text", "stars", "colors"])
    #expect(create.parameters.map(\.type.description) == ["String", "Int", "[NoteColor]"])
    #expect(create.parameters.map(\.isOptional) == [false, true, true])
    let stars = create.parameters[1]
    #expect(stars.defaultValue == ["int": ["wrapper": 3]])
    #expect(stars.lowerBound == 0 && stars.upperBound == 5)
    #expect(create.summary?.sentences == ["Create ${text} with ${stars}", "Create ${text}"])
    #expect(create.summary?.parameters == ["stars", "text", "colors"])

    let open = metadata.intents[1]
    #expect(open.opensApp && open.mangledTypeName == "5Notes14OpenNoteIntentV")
    #expect(open.availability.map(\.platform) == ["*", "iOS"])
    #expect(open.parameters[0].type.kind == .entity("NoteEntity"))

    let note = try #require(metadata.entities.first)
    #expect(note.isIndexed && note.defaultQuery == "Notes.NoteQuery")
    #expect(note.properties.map(\.identifier) == ["title"])
    #expect(metadata.queries.map(\.matchesText) == [true])
    #expect(metadata.enumerations.first?.cases.map(\.identifier) == ["red", "blue"])
    #expect(metadata.enumerations.first?.cases.first?.synonyms.map(\.key) == ["Crimson"])
    #expect(metadata.shortcuts.map(\.intent) == ["OpenNote"])
    #expect(
      metadata.shortcuts.first?.phrases.map(\.key) == ["Open ${target} in ${applicationName}"])
    #expect(metadata.shortcutProvider == "5Notes13NoteShortcutsV")
    #expect(metadata.negativePhrases == ["Close ${applicationName}"])
    #expect(metadata.generator?.version == "17E192")
  }

  @Test func readsWhatXcode15Wrote() throws {
    let metadata = try Samples.metadata(Samples.early)
    let lamp = try #require(metadata.intents.first)
    #expect(lamp.typeName == nil && lamp.mangledTypeName == "5Lamps6LampOnV")
    #expect(lamp.opensApp && lamp.summary == nil && lamp.outputType == nil)
    #expect(metadata.unknownKeys == [:] && metadata.shortcutProvider == nil)
  }

  @Test func unknownKeysAreKeptAndCounted() throws {
    let metadata = try Samples.metadata(Samples.current)
    #expect(
      metadata.unknownKeys == [
        "actions.*.newKeyOfTomorrow": 1, "actions.*.parameters[*].newKeyOfTomorrow": 1,
      ])
    #expect(metadata.intents.first?.json["newKeyOfTomorrow"] == ["a": [1, .double(2.5), nil]])
  }

  @Test(arguments: [Samples.current, Samples.early])
  func nothingIsLost(_ text: String) throws {
    let read = try Samples.metadata(text)
    let again = try AppMetadata(reading: read.json.bytes)
    #expect(again == read)
  }

  @Test(arguments: [
    ("", MetadataError.Code.invalidJSON, "this is no JSON: the text ends at byte 0"),
    (#"{"actions":{"A":{"#, .invalidJSON, "this is no JSON: a key is expected at byte 17"),
    ("[]", .notMetadata, "this is no App Intents metadata"),
    (#"{"name":"carrel"}"#, .notMetadata, "this is no App Intents metadata"),
    (#"{"actions":{},"version":2}"#, .newerVersion, "the metadata has version 2"),
    (#"{"actions":[]}"#, .invalidShape, "'actions': an object is expected"),
    (
      #"{"actions":{"A":{"isDiscoverable":"yes"}}}"#, .invalidShape,
      "'actions.A.isDiscoverable': true or false is expected"
    ),
    (
      #"{"actions":{"A":{"parameters":[{"valueType":{"primitive":{"wrapper":{"typeIdentifier":"#
        + #""0"}}}}]}}}"#, .invalidShape,
      "'actions.A.parameters[0].valueType.primitive.wrapper.typeIdentifier': a whole number"
    ),
    (
      #"{"actions":{"A":{"systemProtocolMetadata":["x"]}}}"#, .invalidShape,
      "'actions.A.systemProtocolMetadata': a key without a value"
    ),
  ])
  func saysWhatIsWrong(_ text: String, _ code: MetadataError.Code, _ message: String) {
    let error = #expect(throws: MetadataError.self) { try Samples.metadata(text) }
    #expect(error?.code == code)
    #expect(error?.message.hasPrefix(message) == true, "\(error?.message ?? "")")
  }

  @Test(arguments: [
    MetadataValueType.Kind.primitive(.url), .entity("NoteEntity"), .enumeration("Color"),
    .framework(12), .measurement(7), .array(.array(.primitive(.other(99)))),
  ])
  func typesAreWrittenAsTheyAreRead(_ kind: MetadataValueType.Kind) {
    #expect(MetadataValueType(kind).kind == kind)
  }
}
