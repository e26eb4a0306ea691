import IntentMetadata
import IntentWire
import Testing

@Suite struct MetadataPageTests {
  @Test func text() throws {
    let page = MetadataPage.render(
      try Samples.metadata(Samples.current), title: "Notes.app", facts: [("version", "1.2")],
      style: .text)
    #expect(
      page == """
        Notes.app
              version: 1.2
              written by: xcode-tools 17E192

          Intents (2)

            Create Note (CreateNote)
              Makes a note.
              returns NoteEntity; says something
              summary: Create ${text} with ${stars}
              summary: Create ${text}
              text: String (Text)
              stars: Int? = 3, 0...5 (Stars)
              colors: [NoteColor]? (Colors)

            Open Note (OpenNote)
              opens the app; from iOS 17.0
              summary: Open ${target}
              target: NoteEntity, with suggestions (Note)

          Entities (1)

            Note (NoteEntity)
              query Notes.NoteQuery, searches for texts; in the search index
              title: String (Title)

          Enumerations (1)

            Color (NoteColor)
              Red (red), also Crimson
              Blue (blue)

          App Shortcuts (1)

            Open (OpenNote)
              image: note
              "Open ${target} in ${applicationName}"

          Not understood
              actions.*.newKeyOfTomorrow: 1
              actions.*.parameters[*].newKeyOfTomorrow: 1

        """)
  }

  @Test func markdown() throws {
    let page = MetadataPage.render(
      Make.app(intents: [Make.intent("A_b", title: "*Bold* <b>\nnext", description: "# no heading")]
      ),
      title: "App", style: .markdown)
    #expect(
      page == ##"""
        # App

        ## Intents (1)

        ### \*Bold\* \<b\> next (A\_b)

        \# no heading

        """##)
  }
}

@Suite struct FindingReportTests {
  static let groups = [
    FindingReport.Group(
      app: "Nötes.app",
      findings: [
        MetadataFinding(
          .phraseWithoutApplicationName, severity: .error, item: .phrase(shortcut: 0, 0),
          message: "the phrase \"100%,\nreally\" does not name the app",
          location: SourceLocation(file: "Sources/Ä b/Short,cuts.swift", line: 7)),
        MetadataFinding(
          .missingDescription, severity: .note, item: .intent("A"),
          message: "intent 'A' has no description"),
      ])
  ]

  @Test func text() {
    #expect(
      FindingReport.text(Self.groups) == """
        Sources/Ä b/Short,cuts.swift:7: error: the phrase "100%,
        really" does not name the app [phrase-without-application-name]
          Siri only listens for phrases that name the app; others are dropped, or end the build.
          fix: write \\(.applicationName) into the phrase
        Nötes.app: note: intent 'A' has no description [missing-description]
          People are not told what the intent does.
          fix: declare a description

        """)
  }

  @Test func github() {
    let lines = [
      "::error file=Sources/Ä b/Short%2Ccuts.swift,line=7,title=phrase-without-application-name::"
        + #"Nötes.app: the phrase "100%25,%0Areally" does not name the app; fix: write "#
        + #"\(.applicationName) into the phrase"#,
      "::notice title=missing-description::Nötes.app: intent 'A' has no description; fix: "
        + "declare a "
        + "description",
    ]
    #expect(FindingReport.github(Self.groups) == lines.map { $0 + "\n" }.joined())
  }

  @Test func sarif() throws {
    let log = FindingReport.sarif(Self.groups, version: "1.0.0")
    let run = try #require(log["runs"]?.array?.first)
    let rules = try #require(run["tool"]?["driver"]?["rules"]?.array)
    let results = try #require(run["results"]?.array)
    #expect(log["version"] == "2.1.0" && results.count == 2)
    for result in results {
      let index = try #require(result["ruleIndex"]?.int)
      #expect(rules[index]["id"] == result["ruleId"])
    }
    let place = results[0]["locations"]?.array?.first?["physicalLocation"]
    #expect(place?["artifactLocation"]?["uri"] == "Sources/%C3%84%20b/Short%2Ccuts.swift")
    #expect(place?["region"]?["startLine"] == 7)
    #expect(results[1]["level"] == "note" && results[1]["locations"] == nil)
  }

  @Test func json() throws {
    let json = FindingReport.json(Self.groups, known: 3, suppressed: 2)
    #expect(json["inBaseline"] == 3 && json["suppressed"] == 2)
    let findings = try #require(json["findings"]?.array)
    #expect(
      findings.map { $0["rule"]?.string } == [
        "phrase-without-application-name", "missing-description",
      ])
    #expect(findings[0]["line"] == 7 && findings[1]["line"] == nil)
    #expect(try WireJSON(reading: json.bytes) == json)
  }
}

@Suite struct ChangeReportTests {
  static let changes = [
    MetadataChange(.removed, .intent("A"), "intent 'A' is gone", isBreaking: true),
    MetadataChange(.added, .intent("B"), "intent 'B' is new"),
  ]

  @Test func forms() {
    #expect(
      ChangeReport.text(Self.changes) == """
        breaking  intent 'A' is gone
                  intent 'B' is new

        """)
    #expect(
      ChangeReport.markdown(Self.changes) == """
        - **breaking**: intent 'A' is gone
        - intent 'B' is new

        """)
    #expect(ChangeReport.json(Self.changes)["breaking"] == true)
    #expect(ChangeReport.json([])["breaking"] == false)
  }
}
