import TestSupport
import Testing

@testable import IntentMetadata

@Suite struct SwiftTokensTests {
  private func tokens(_ source: String) -> [SwiftToken] { SwiftTokens(Array(source.utf8)).tokens }

  private func literals(_ source: String) -> [String?] {
    tokens(source).compactMap { token in
      if case .string = token.kind { return .some(token.literal) }
      return nil
    }
  }

  @Test func literalsOfAllForms() {
    let source = #####"""
      let a = "a \"b\" \u{E9}\t\\"; let b = #"raw " \n \#n"#; let c = ##"two "# pounds"##
      let d = ""; let e = """
          first "quoted"
            second \
          third
          """
      let f = #"""
        raw \(x) """ here
        """#
      """#####
    #expect(
      literals(source) == [
        "a \"b\" \u{E9}\t\\", "raw \" \\n \n", "two \"# pounds", "",
        "first \"quoted\"\n  second third", "raw \\(x) \"\"\" here",
      ])
  }

  @Test func interpolationsAreTakenApart() {
    let found = tokens(#"f("a \(g("b", (c)) + "d)") e", x)"#)
    #expect(found.compactMap(\.word) == ["f", "g", "c", "x"])
    #expect(found.compactMap(\.literal) == ["b", "d)"])
    #expect(found[2].phraseTemplate == "a ${?} e")
    #expect(literals(##"let s = #"a \(b) \#(c)"#"##) == [nil])
  }

  @Test func commentsNestAndCount() {
    let scanned = SwiftTokens(
      Array(
        """
        a // "no string
        /* b /* "c */ */ d /* two
        lines */ e
        "// no comment"
        """.utf8))
    #expect(scanned.tokens.compactMap(\.word) == ["a", "d", "e"])
    #expect(scanned.tokens.map(\.line) == [1, 2, 3, 4])
    #expect(scanned.comments.map(\.line) == [1, 2, 3])
    #expect(scanned.comments[0].text == " \"no string")
  }

  /// A quote in a regular expression begins no string.
  @Test func regularExpressions() {
    #expect(literals("let r = /\"/; let s = \"a\"; let x = y / 2 / \"b\".count") == ["a", "b"])
    #expect(literals(###"let r = #/ a"b " /#; f(/"\/"/, "c")"###) == ["c"])
  }

  @Test func phrasesAreTemplates() {
    let source = #"["Open \(\.$note) in \(.applicationName)", "\( \.$a ) x", "\(name)"]"#
    #expect(
      tokens(source).compactMap(\.phraseTemplate) == [
        "Open ${note} in ${applicationName}", "${a} x", "${?}",
      ])
  }

  /// Whatever the bytes are, each is read once, and lines only grow.
  @Test func noise() {
    var generator = SeededGenerator(seed: 6)
    let pieces = [
      "\"", "\"\"\"", "#", "\\(", ")", "/*", "*/", "//", "\n", "`", "/", "{", "}", "a", "\\", "é",
      "\\u{", "AppShortcut(",
    ]
    for _ in 0..<3000 {
      let source = (0..<Int.random(in: 0...40, using: &generator)).map { _ in
        pieces.randomElement(using: &generator) ?? ""
      }.joined()
      let scanned = SwiftTokens(Array(source.utf8))
      let lines = scanned.tokens.map(\.line)
      #expect(lines == lines.sorted(), "\(source)")
      let last = source.utf8.count { $0 == 0x0A } + 1
      #expect(lines.allSatisfy { $0 >= 1 && $0 <= last })
    }
    let deep = String(repeating: "\"\\(", count: 100_000)
    #expect(!SwiftTokens(Array(deep.utf8)).tokens.isEmpty)
  }
}

@Suite struct NamedDefinitionTests {
  private func names(_ source: String) -> [String] {
    NamedDefinition.all(in: Array(("import AppIntentsTesting\n" + source).utf8)).map {
      "\($0.line) \($0.kind.rawValue) \($0.name) \($0.bundleIdentifier ?? "any")"
    }
  }

  @Test func namesWithTheirApps() {
    #expect(
      names(
        #"""
        let app = IntentDefinitions(bundleIdentifier: "org.example.a")
        var other: IntentDefinitions { IntentDefinitions(bundleIdentifier: bundle) }
        func f() {
          app.intents["Create"].makeIntent(); self.app.entities[
            "Note"]; app.enums["Color"]
          other.intents["Delete"]; IntentDefinitions(bundleIdentifier: "org.example.b").intents["X"]
        }
        """#) == [
          "5 intent Create org.example.a", "6 entity Note org.example.a", "6 enum Color any",
          "7 intent Delete any", "7 intent X org.example.b",
        ])
  }

  @Test func whatIsNoName() {
    #expect(
      names(
        #"""
        app.intents[name]; app.intents["a\(b)"]; // app.intents["C"]
        let text = "app.intents[\"D\"]"; intents["E"]; app.intents("F"); app.intents["G", 1]
        app.intents["H"]  // carrel:disable name-not-registered
        // carrel:disable name-not-registered: it is to fail
        app.intents["I"]
        app.intents["J"]
        """#) == ["7 intent J any"])
    #expect(
      NamedDefinition.all(in: Array(#"cache.intents["A"]; app.intents["B"]"#.utf8)) == [],
      "the file does not import the library")
  }

  /// A variable that stands for several apps is held against all.
  @Test func variablesOfSeveralApps() {
    #expect(
      names(
        #"""
        func f() { let app = IntentDefinitions(bundleIdentifier: "a"); app.intents["A"] }
        func g() { let app = IntentDefinitions(bundleIdentifier: "b"); app.intents["B"] }
        let one = IntentDefinitions(bundleIdentifier: "c")
        func h(one: IntentDefinitions) { one.intents["C"] }
        let two = make(), three: IntentDefinitions = IntentDefinitions(bundleIdentifier: "d")
        let four: IntentDefinitions = IntentDefinitions(bundleIdentifier: "e"); four.intents["D"]
        """#) == ["2 intent A any", "3 intent B any", "5 intent C any", "7 intent D e"])
  }
}

@Suite struct DeclaredSourcesTests {
  private static let source = #"""
    struct Shortcuts: AppShortcutsProvider {
      @AppShortcutsBuilder
      static var appShortcuts: [AppShortcut] {
        AppShortcut(
          intent: A(),
          phrases: [
            "Do it with \(.applicationName)",
            // carrel:disable phrase-without-application-name
            "Do it",
          ], shortTitle: "Do")
        AppShortcut(intent: B(), phrases: hoisted, shortTitle: "B")
        AppShortcut(
          intent: A(), phrases: ["Do it with \(.applicationName)"], shortTitle: "Again")
      }
      static let last = { AppShortcut(intent: A(), phrases: ["Do it"], shortTitle: "x") }
    }
    """#

  private func declared() -> DeclaredMetadata {
    let list = IntentMetadata.SourceLocation(file: "S.swift", line: 3)
    let metadata = Make.app(
      intents: [Make.intent("A"), Make.intent("B")],
      shortcuts: [
        Make.shortcut("A", phrases: ["Do it with ${applicationName}", "Do it"]),
        Make.shortcut("B", phrases: []),
        Make.shortcut("A", phrases: ["Do it with ${applicationName}"]),
      ])
    var locations: [MetadataItem: IntentMetadata.SourceLocation] = [:]
    for number in 0..<3 { locations[.shortcut(number)] = list }
    for (shortcut, phrase) in [(0, 0), (0, 1), (2, 0)] {
      locations[.phrase(shortcut: shortcut, phrase)] = list
    }
    return DeclaredMetadata(
      metadata, locations: locations,
      unknowns: [.init(item: .shortcut(1), member: "phrases", location: list)])
  }

  @Test func linesOfPhrases() {
    var declared = declared()
    declared.readSources { $0 == "S.swift" ? Array(Self.source.utf8) : nil }
    let line = { (item: MetadataItem) in declared.locations[item]?.line }
    #expect([0, 1, 2].map { line(.shortcut($0)) } == [4, 11, 12])
    #expect(line(.phrase(shortcut: 0, 0)) == 7 && line(.phrase(shortcut: 0, 1)) == 9)
    #expect(line(.phrase(shortcut: 2, 0)) == 13)
    #expect(declared.unknowns[0].location?.line == 11)
    let result = MetadataCheck.findings(in: declared)
    #expect(!result.findings.contains { $0.rule == .phraseWithoutApplicationName })
    #expect(result.suppressed == 1)
  }

  /// With other shortcuts in the source than in the build, phrases are found by their text.
  @Test func conditionsOfTheBuild() {
    var declared = declared()
    let source = Self.source.replacing(
      "AppShortcut(intent: B()",
      with: "AppShortcut(intent: C(), phrases: []); AppShortcut(intent: B()")
    declared.readSources { _ in Array(source.utf8) }
    #expect(declared.locations[.shortcut(0)]?.line == 3)
    #expect(declared.locations[.phrase(shortcut: 0, 1)]?.line == 9)
  }

  @Test func sourcesThatAreGone() {
    var declared = declared()
    let before = declared.locations
    declared.readSources { _ in nil }
    #expect(declared.locations == before && declared.suppressions.isEmpty)
    declared.readSources { _ in Array("no Swift".utf8) }
    #expect(declared.locations == before)
  }
}
