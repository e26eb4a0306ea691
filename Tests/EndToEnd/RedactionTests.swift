import FoundationEssentials
import Glibc
import RunModel
import TestSupport
import Testing

extension EndToEnd {
  /// Failure bundles of tests that leave secrets everywhere.
  @Suite struct RedactionTests {
    private struct Report: Decodable {
      struct Entry: Decodable {
        var path: String?
        var rules: [String: Int]
      }

      var format: String
      var enabled: Bool
      var total: Int
      var rules: [String: Int]
      var entries: [Entry]
      var variables: [String]
    }

    private func run(_ options: String...) async throws -> CarrelRun {
      let run = try await Carrel.run(
        "Secrets",
        [
          "--timeout", "5", "--company-check", "off", "--bundle-compression", "none",
          "--pass-env", "VAULT_*",
        ] + options,
        environment: [
          "VAULT_TOKEN": PlantedSecrets.variable, "VAULT_PASSWORD": "short", "VAULT_PLACE": "attic",
        ], timeout: 300)
      #expect(run.output.status == 1, "\(run)")
      return run
    }

    private func report(_ bundle: String, _ folder: TemporaryFolder) async throws -> Report {
      let out = folder.path(of: "out-\(bundle.split(separator: "/").last ?? "")")
      let extracted = try await Carrel.invoke(["bundle", "extract", bundle, out])
      #expect(extracted.status == 0, "\(extracted.allText)")
      return try JSONDecoder().decode(
        Report.self, from: Data(try readFile("\(out)/redactions.json")))
    }

    private var texts: [String] {
      PlantedSecrets.all.map(\.text) + [PlantedSecrets.variable, "open" + "-sesame"]
        + PlantedSecrets.privateKey.dropFirst().dropLast()
    }

    /// No byte of any secret is in the bytes of any bundle; the record itself has them all.
    @Test func noSecretIsInABundle() async throws {
      let run = try await run()
      let bundles = try run.bundles
      #expect(bundles.count == 4, "\(run)")
      var entries: Set<String> = []
      for bundle in bundles {
        let bytes = try readFile(bundle)
        for text in texts where bytes.firstPosition(of: text) != nil {
          let position = try #require(bytes.firstPosition(of: text))
          let around = bytes[max(0, position - 300)..<min(bytes.count, position + 100)]
          Issue.record("\(text) is in \(bundle): \(String(decoding: around, as: UTF8.self))")
        }
        let verified = try await Carrel.invoke(["bundle", "verify", bundle])
        #expect(verified.status == 0, "\(verified.allText)")
        let report = try await report(bundle, run.folder)
        #expect(report.format == "1.0" && report.enabled)
        #expect(report.variables == ["VAULT_PASSWORD", "VAULT_TOKEN"])
        #expect(report.total == report.rules.values.reduce(0, +))
        #expect(
          report.entries.flatMap(\.rules).reduce(into: [:]) { $0[$1.key, default: 0] += $1.value }
            == report.rules)
        entries.formUnion(report.entries.compactMap(\.path))
        let shown = try await Carrel.invoke(["bundle", "show", bundle])
        let row = "    redacted:      \(report.total) secrets ("
        #expect(shown.text.contains(row), "\(shown.text)")
        #expect(!texts.contains { shown.text.contains($0) })
      }
      let wanted = [
        "manifest.json", "logs/stdout.log", "logs/stderr.log", "logs/app-com.example.Vault.log",
        "events.jsonl", "journal.jsonl", "command.json", "hang.txt", "index.sqlite",
        "container/home/Documents/notes.txt", "container/home/Documents/notes.json",
        "container/home/Documents/settings.plist", "container/home/Documents/settings.bin",
        "container/home/Documents/data.bin", "container/tmp/id_rsa",
      ]
      for path in wanted { #expect(entries.contains(path), "\(path) of \(entries.sorted())") }
      #expect(
        entries.contains { $0.hasPrefix("crash/") }
          && entries.contains { $0.hasPrefix("attachments/") })

      // Words of the search are none of a secret's, in small letters.
      let leaving = try run.bundle(try run.test("testLeavesSecrets"))
      let listed = try await Carrel.invoke(["bundle", "index", leaving])
      #expect(
        listed.status == 0 && listed.text.contains("[redacted: github-token]"), "\(listed.allText)")
      let name = leaving.split(separator: "/").last ?? ""
      let index = try readFile(run.folder.path(of: "out-\(name)/index.sqlite"))
      for secret in PlantedSecrets.all {
        for word in secret.text.lowercased().split(whereSeparator: { !$0.isLetter && !$0.isNumber })
        where word.count >= 16 {
          #expect(index.firstPosition(of: String(word)) == nil, "\(word)")
        }
      }
      let log = try run.log(try run.test("testLeavesSecrets").attempts.first?.stdout)
      for secret in PlantedSecrets.all { #expect(log.firstPosition(of: secret.text) != nil) }

      // A reproduction says what it lacks.
      let repro = try await Carrel.invoke([
        "repro", leaving, run.package.path, "--skip-build", "--container", "restored",
        "--output", run.folder.path(of: "again"),
      ])
      // What was taken out of the message is no difference.
      #expect(repro.status == 0 && repro.text.contains("REPRODUCED"), "\(repro.allText)")
      #expect(
        repro.errorText.contains(
          "set them to pass them to the test: VAULT_PASSWORD, VAULT_TOKEN"), "\(repro.allText)")
      #expect(
        repro.errorText.contains("taken out of files that the test finds in its container:"),
        "\(repro.allText)")
    }

    @Test func redactionCanBeTurnedOff() async throws {
      let run = try await run("--redaction", "off", "--filter", "testLeavesSecrets")
      let bundle = try #require(try run.bundles.first)
      let bytes = try readFile(bundle)
      for secret in PlantedSecrets.all { #expect(bytes.firstPosition(of: secret.text) != nil) }
      let report = try await report(bundle, run.folder)
      #expect(!report.enabled && report.total == 0 && report.variables.isEmpty)
      let shown = try await Carrel.invoke(["bundle", "show", bundle])
      let row = "redacted:      no; the bundle may hold secrets"
      #expect(shown.text.contains(row), "\(shown.text)")
    }

    @Test func theConfigurationHasRulesOfItsOwn() async throws {
      let folder = try TemporaryFolder()
      let file = folder.path(of: "carrel.json")
      try #"""
      {"format": "1.0", "redaction": {"patterns": {"lines": "expected nothing [a-z]+"},
       "names": ["VAULT_PLACE"], "keep": ["open-sesame"]}}
      """#.write(toFile: file, atomically: true, encoding: .utf8)
      let run = try await run("--config", file, "--filter", "testLeavesSecrets")
      let bundle = try #require(try run.bundles.first)
      let report = try await report(bundle, run.folder)
      #expect(report.rules["lines"] ?? 0 >= PlantedSecrets.all.count)
      #expect(report.variables == ["VAULT_PASSWORD", "VAULT_PLACE", "VAULT_TOKEN"])
      let bytes = try readFile(bundle)
      #expect(bytes.firstPosition(of: "expected nothing like") == nil)
      #expect(bytes.firstPosition(of: "open" + "-sesame") != nil)
      try #"{"format": "1.0", "redaction": {"patterns": {"bad": "x"}}}"#.write(
        toFile: file, atomically: true, encoding: .utf8)
      let refused = try await Carrel.invoke(["run", run.package.path, "--config", file])
      #expect(refused.status == 2)
      #expect(
        refused.errorText.contains(
          "'redaction.patterns': the pattern 'bad' is not possible: it must begin with at least 3"),
        "\(refused.errorText)")
    }
  }
}

extension [UInt8] {
  /// Where a text begins in the bytes.
  fileprivate func firstPosition(of text: String) -> Int? {
    let text = Array(text.utf8)
    guard !text.isEmpty, text.count <= count else { return nil }
    return withUnsafeBytes { bytes in
      var position = 0
      while position + text.count <= bytes.count, let begin = bytes.baseAddress,
        let found = memchr(
          begin + position, Int32(text[0]), bytes.count - text.count + 1 - position)
      {
        position = UnsafeRawPointer(found) - begin
        if memcmp(found, text, text.count) == 0 { return position }
        position += 1
      }
      return nil
    }
  }
}
