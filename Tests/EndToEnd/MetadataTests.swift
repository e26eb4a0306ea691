import FoundationEssentials
import TestSupport
import Testing

extension EndToEnd {
  /// `carrel metadata` on a package and on what is made of it.
  @Suite(.serialized) struct MetadataTests {
    private static let fixture = "Declarations"

    private func metadata(
      _ arguments: [String], _ package: FixturePackage, timeout: Double = 600
    ) async throws -> ProcessOutput {
      try await Carrel.invoke(
        ["metadata"] + arguments, environment: ["CARREL_PACKAGE": FixturePackage.repository],
        folder: package.path, timeout: timeout)
    }

    private func prepare() async throws -> FixturePackage {
      try await FixturePackage.prepare(Self.fixture, isBuilt: false)
    }

    /// A finding as it is printed, at a marked line.
    private func finding(_ key: String, in file: String, _ text: String) throws -> String {
      let line = try FixturePackage.line(of: key, in: Self.fixture).line
      return "\(file):\(line): \(text)"
    }

    @Test func checkNamesPlacesAndFixes() async throws {
      let package = try await prepare()
      let output = try await metadata(["check"], package)
      #expect(output.status == 1, "\(output.allText)")
      let intents = "Sources/Shop/Intents.swift"
      let findings = [
        try finding(
          "phrase without the app", in: intents,
          "error: the phrase \"Buy something\" does not name the app "
            + "[phrase-without-application-name]"),
        try finding(
          "hoisted phrases", in: intents,
          "error: the phrases of App Shortcut 'Name' are not literals [phrases-not-literal]"),
        try finding(
          "no literal", in: intents,
          "error: 'title' of intent 'NameIntent' is no literal [text-not-literal]"),
        try finding(
          "provider in a library", in: "Sources/ShopKit/Kit.swift",
          "error: 'ShopKit.KitShortcuts' provides App Shortcuts, and is not in the app's own "
            + "module "
            + "[provider-in-library]"),
        try finding(
          "not in the summary", in: intents,
          "warning: parameter 'note' of intent 'BuyIntent' is not in its summary "
            + "[parameter-not-in-summary]"),
      ]
      for finding in findings { #expect(output.text.contains(finding), "\(output.text)") }
      #expect(output.text.contains("error: 'description' of intent 'NameIntent' is no literal"))
      #expect(!output.text.contains("Buy it"))
      #expect(output.text.hasSuffix(", 1 switched off in the sources\n"), "\(output.text)")
      #expect(output.text.contains("query-without-text-search"))
      #expect(output.text.contains("fix: write \\(.applicationName) into the phrase"))
      // The app registers the shortcuts of both providers and the phrases of the constant.
      #expect(output.text.contains("[registration-differs]"))
      // Nothing of this is for people.
      #expect(!output.text.contains("debug-intent-in-release"))
    }

    @Test func releaseBuildsAreCheckedAsSuch() async throws {
      let package = try await prepare()
      let output = try await metadata(["check", "-c", "release"], package)
      #expect(output.status == 1, "\(output.allText)")
      let place = try finding(
        "for tests", in: "Sources/Shop/Intents.swift",
        "warning: intent 'SeedShopIntent' looks like one for tests, and is in a release product "
          + "[debug-intent-in-release]")
      #expect(output.text.contains(place), "\(output.text)")
    }

    @Test func baselinesAndRules() async throws {
      let package = try await prepare()
      let folder = try TemporaryFolder()
      let file = folder.path(of: "baseline.json")
      let written = try await metadata(["check", "--baseline", file, "--write-baseline"], package)
      #expect(written.status == 0, "\(written.allText)")
      let checked = try await metadata(["check", "--baseline", file], package)
      #expect(checked.status == 0, "\(checked.allText)")
      #expect(checked.text.hasPrefix("0 errors, 0 warnings, 0 notes, "))
      let configuration = folder.path(of: "carrel.json")
      let settings =
        #"{"format":"1.0","metadata":{"baseline":"\#(file)","rules":{"text-not-literal":"off"}}}"#
      try settings.write(toFile: configuration, atomically: true, encoding: .utf8)
      let configured = try await metadata(
        ["check", "--config", configuration, "--rule", "missing-title=note"], package)
      #expect(configured.status == 0, "\(configured.allText)")
      let sarif = try await metadata(
        ["check", "--format", "sarif", "--rule", "text-not-literal=off"], package)
      #expect(sarif.status == 1 && !sarif.text.contains("text-not-literal"))
      #expect(sarif.text.contains("\"ruleId\": \"phrases-not-literal\""))
      let annotations = try await metadata(["check", "--format", "github"], package)
      #expect(annotations.text.contains("::error file=Sources/Shop/Intents.swift,line="))
    }

    @Test func extractedMetadataIsReadAgain() async throws {
      let package = try await prepare()
      let folder = try TemporaryFolder(name: "métadata")
      let output = try await metadata(["extract", "--output", folder.path], package)
      #expect(output.status == 0, "\(output.allText)")
      #expect(
        output.errorText.contains("'title' of intent 'NameIntent' is only known when the app"))
      let made = "\(folder.path)/Shop/Metadata.appintents"
      let names = try FileManager.default.contentsOfDirectory(atPath: made).sorted()
      #expect(names == ["extract.actionsdata", "version.json"])
      let page = try await metadata(["show", made], package)
      #expect(page.status == 0)
      #expect(page.text.contains("summary: Buy ${item}"))
      #expect(page.text.contains("size: Size = \"small\" (Size)"))
      #expect(page.text.contains("returns Item; says something"))
      #expect(!page.text.contains("Not understood"))
      let json = try await metadata(["show", made, "--format", "json"], package)
      #expect(json.text.contains("\"unknownKeys\": {}"))

      let same = try await metadata(["diff", made, "."], package)
      #expect(same.status == 0 && same.text == "no difference for people\n", "\(same.allText)")
      let text = String(
        decoding: try readFile(made + "/extract.actionsdata"), as: UTF8.self)
      let other = folder.path(of: "extract.actionsdata")
      try text.replacing("\"name\":\"note\"", with: "\"name\":\"remark\"")
        .write(toFile: other, atomically: true, encoding: .utf8)
      let changed = try await metadata(["diff", made, other], package)
      #expect(changed.status == 1)
      #expect(
        changed.text.contains(
          "breaking  parameter 'note' of intent 'BuyIntent' is called 'remark' now"))
    }

    @Test func expectations() async throws {
      let package = try await prepare()
      let folder = try TemporaryFolder()
      let file = folder.path(of: "expected.json")
      let missing = try await metadata(["expect", "--file", file], package)
      #expect(missing.status == 2 && missing.errorText.contains("--write"))
      let written = try await metadata(["expect", "--write", "--file", file], package)
      #expect(written.status == 0, "\(written.allText)")
      let met = try await metadata(["expect", "--exact", "--file", file], package)
      #expect(met.status == 0, "\(met.allText)")
      let text = String(decoding: try readFile(file), as: UTF8.self)
      #expect(text.contains("\"org.example.shop\""))
      try text.replacing("\"ReorderIntent\"", with: "\"Reordering\"")
        .write(toFile: file, atomically: true, encoding: .utf8)
      let broken = try await metadata(["expect", "--file", file], package)
      #expect(broken.status == 1)
      #expect(broken.text.contains("org.example.shop: missing: intent 'Reordering'"))
      #expect(broken.text.contains("org.example.shop: not expected: intent 'ReorderIntent'"))
    }

    @Test(arguments: [
      (["show", "/nowhere"], Int32(2), "there is nothing at '/nowhere'"),
      (["show", "Package.swift"], 2, "is nothing that metadata is read from"),
      (["show", "Sources"], 4, "holds no App Intents metadata"),
      (["shw"], 2, "there are show, extract, check, diff, expect"),
      (["diff", "."], 2, "which two?"), (["show", ".", "--strict"], 2, "--strict is for"),
      (["check", ".", "--rule", "x=off"], 2, "there is no rule 'x'"),
      (["extract", "Sources"], 2, "is no package"),
    ])
    func whatIsWrongIsSaid(arguments: [String], status: Int32, text: String) async throws {
      let output = try await metadata(arguments, try await prepare())
      #expect(output.status == status, "\(output.allText)")
      #expect(output.errorText.contains(text), "\(output.allText)")
    }
  }
}
