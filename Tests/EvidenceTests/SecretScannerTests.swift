import RunModel
import TestSupport
import Testing

@testable import Evidence

/// What is taken for a secret, and what is not.
@Suite struct SecretScannerTests {
  private func search(
    _ options: RedactionOptions = RedactionOptions(), _ environment: [String: String] = [:]
  ) throws -> SecretSearch {
    try SecretSearch(options, environment: environment)
  }

  private func redacted(
    _ text: String, _ search: SecretSearch
  ) throws -> (text: String, counts: [String: Int]) {
    let bytes = Array(text.utf8)
    let result = try search.redacted(bytes)
    #expect(result.bytes.count == bytes.count)
    return (String(decoding: result.bytes, as: UTF8.self), result.counts)
  }

  private func json(_ text: String) -> String {
    String(decoding: jsonString(text), as: UTF8.self)
  }

  /// Each kind is found by its own rule, with what stands around it left as it was.
  @Test func everyKindIsFound() throws {
    let search = try search()
    for secret in PlantedSecrets.all {
      let (text, counts) = try redacted("before\n\(secret.line)\nafter", search)
      #expect(!text.contains(secret.text), "\(secret)")
      #expect(counts == [secret.rule: 1], "\(secret): \(text)")
      #expect(text.hasPrefix("before\n") && text.hasSuffix("\nafter"), "\(text)")
    }
  }

  /// In JSON, and in JSON within JSON, which both stay readable.
  @Test func everyKindIsFoundInJSON() throws {
    let search = try search()
    for secret in PlantedSecrets.all {
      let once = json("line\n\(secret.line)\nline")
      let twice = json(json("line\n\(secret.line)\nline"))
      let colored = json("\u{1B}[31m\(secret.line)\u{1B}[0m")
      for form in [once, twice, colored] {
        let (text, counts) = try redacted(form, search)
        #expect(!text.contains(secret.text), "\(text)")
        #expect(counts.values.reduce(0, +) == 1, "\(text) \(counts)")
        #expect(throws: Never.self) { _ = try decodedJSON(String.self, from: text.utf8) }
      }
    }
  }

  @Test(arguments: [
    #""password":{"string":"{}"}"#, #"{\"password\":{\"string\":\"{}\"}}"#, "password: {}9",
    "&lt;key&gt;password&lt;/key&gt;&lt;string&gt;{}&lt;/string&gt;", "<password>{}</password>",
    "&quot;password&quot;: &quot;{}9&quot;", #"'password' => '{}'"#, "let password = \"{}\"",
    #"<key>password<\/key>\n\t<string>{}<\/string>"#, "PASSWORD={}", "a?password={}&b=c",
  ])
  func aNameDecides(_ form: String) throws {
    let text = form.replacing("{}", with: "opensesame")
    let (found, counts) = try redacted(text, try search())
    #expect(!found.contains("opensesame") && counts == ["secret-value": 1], "\(found)")
  }

  @Test func theMarkHasAsManyBytes() throws {
    let search = try search()
    let token = try #require(PlantedSecrets.all.first { $0.rule == "github-token" }).text
    let rest = String(repeating: "*", count: token.utf8.count - 24)
    #expect(try redacted("a \(token) b", search).text == "a [redacted: github-token]\(rest) b")
    #expect(try redacted("password=hunter2 b", search).text == "password=******* b")
  }

  /// The pieces in which a text comes make no difference.
  @Test func piecesMakeNoDifference() throws {
    let search = try search(RedactionOptions(), ["NOTES_TOKEN": PlantedSecrets.variable])
    var text = ""
    for secret in PlantedSecrets.all {
      text += "\(secret.line)\n" + String(repeating: "words of a log ", count: 150) + "\n"
    }
    text += PlantedSecrets.privateKey.joined(separator: "\n") + "\n\(PlantedSecrets.variable)"
    let bytes = Array(text.utf8)
    let whole = try search.redacted(bytes)
    #expect(whole.counts.values.reduce(0, +) == PlantedSecrets.all.count + 2)
    var random = SeededGenerator(seed: 5)
    for round in 0..<12 {
      let scanner = try SecretScanner(search)
      var result: [UInt8] = []
      var position = 0
      while position < bytes.count {
        let most = round == 0 ? 1 : [7, 100, 1_000, 5_000, 70_000][round % 5]
        let count = min(Int.random(in: 1...most, using: &random), bytes.count - position)
        try bytes[position..<position + count].withUnsafeBytes {
          try scanner.feed($0) { result += $0 }
        }
        position += count
      }
      try scanner.finish { result += $0 }
      #expect(result == whole.bytes)
      #expect(search.named(scanner.counts) == whole.counts)
    }
  }

  @Test func privateKeysAreFoundInEveryForm() throws {
    let search = try search()
    let lines = PlantedSecrets.privateKey
    for separator in ["\n", "\r\n", "\\n", "\\\\n", " ", "\n    "] {
      let (text, counts) = try redacted("a " + lines.joined(separator: separator) + " b", search)
      #expect(counts == ["private-key": 1], "\(text)")
      #expect(text.hasPrefix("a [redacted: private-key]*") && text.hasSuffix("* b"), "\(text)")
      for line in lines.dropFirst().dropLast() { #expect(!text.contains(line)) }
    }
    // The middle was left out of a log, or its end, or its beginning.
    let mark = OmissionMark.text(bytes: 1_000)
    for cut in 2...8 {
      let half = String(lines[cut].prefix(10))
      let rest = String(lines[cut].suffix(9))
      let text = (Array(lines[..<cut]) + [half, mark, rest] + Array(lines[(cut + 1)...]))
        .joined(separator: "\n")
      for form in [text, json(text)] {
        let (found, _) = try redacted("\(form)\nnext line", search)
        for line in lines.dropFirst().dropLast() where found.contains(line) {
          Issue.record("\(line) is in \(found)")
        }
        #expect(!found.contains(half) && !found.contains(rest), "\(found)")
        #expect(found.contains(mark) && found.hasSuffix("next line"), "\(found)")
      }
    }
  }

  /// Half of a secret matches no pattern.
  @Test func halvesAtTheMarkAreFound() throws {
    let search = try search()
    let mark = OmissionMark.text(bytes: 77)
    let (text, counts) = try redacted(
      "log in with ghp7abc\(String(repeating: "x", count: 9))\n\(mark)\nxyz890abcdef end", search)
    #expect(text == "log in with ****************\n\(mark)\n************ end")
    #expect(counts == ["cut-text": 2])
    let plain = "the end of a sentence\n\(mark)\nanother sentence"
    #expect(try redacted(plain, search).text == plain)
  }

  @Test func valuesOfVariablesAreFoundInEveryForm() throws {
    let value = PlantedSecrets.variable
    let search = try search(
      RedactionOptions(), ["NOTES_API_TOKEN": value, "HOME": "/home/reader", "PIN_TOKEN": "1234"])
    var forms = [value, json(value), value.replacing("/", with: "\\/")]
    for before in ["", "a", "ab", "user:"] {
      forms.append(base64(Array((before + value).utf8)))
    }
    forms.append("zq8%2F" + value.dropFirst(4).replacing(" & ", with: "%20%26%20"))
    forms.append(hexadecimal(value.utf8))
    for form in forms {
      let (text, counts) = try redacted("x\(form)y /home/reader 1234", search)
      #expect(counts == ["environment-value": 1], "\(form): \(text)")
      #expect(text.hasSuffix(" /home/reader 1234"))
    }
    var wide: [UInt8] = []
    for unit in value.utf16 { wide += [UInt8(unit & 255), UInt8(unit >> 8)] }
    #expect(try search.redacted(wide).counts == ["environment-value": 1])
  }

  private func base64(_ bytes: [UInt8]) -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
    var text = ""
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = Array(bytes[start..<min(start + 3, bytes.count)])
      let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
      for index in 0...group.count { text.append(alphabet[bits >> (18 - 6 * index) & 63]) }
    }
    return text
  }

  /// What tests print all day long.
  @Test func ordinaryTextsStayAsTheyAre() throws {
    let search = try search()
    var random = SeededGenerator(seed: 11)
    func hexadecimalText(_ count: Int) -> String {
      hexadecimal((0..<count / 2).map { _ in UInt8(truncatingIfNeeded: random.next()) })
    }
    var texts = [
      "Test Case 'TokenTests.testSecretKeyIsHidden' passed (0.012 seconds)",
      "XCTAssertEqual failed: (\"Optional(Token.endOfFile)\") is not equal to (\"nil\")",
      "/src/Notes/Sources/PasswordField.swift:12: error: password: required field is missing",
      "let token: String = try await session.next(); let key = keys[index]",
      "$s4main11TokenReaderV4next5tokenSSyF + 124", "tokenCount=12345678, max_tokens: 4096",
      "\"fixtureToken\" : \"k3tekoafyp5tcxb2\"", "CARREL_INTENT_TOKEN=1234567890abcdef",
      "sha256:\(hexadecimalText(64))", "commit \(hexadecimalText(40))",
      "key: \(hexadecimalText(32))",
      "id 123e4567-e89b-12d3-a456-426614174000 task-123e4567-e89b-12d3-a456-426614174000",
      "\"sha256\":\"\(hexadecimalText(64))\",\"mtime\":1796019113", "keyboard = \"QWERTY1234567\"",
      "https://example.com:8080/path?page=2#key", "git@github.com:apple/swift.git",
      "http://[::1]:12345/@handle", "author: Jane Doe <jane@example.com>",
      "Cookies: 3 of 4 were set", "the bearer of this letter is authorized: yes",
      "password: $PASSWORD, token: ${TOKEN}, secret: <secret>, api_key: %s", "passwords differ",
      "carrel run --password-file /tmp/x --token-count 1234567", "secret: nil, token: null",
      "password = readPassword(from: terminal)", "-----BEGIN CERTIFICATE-----\nMIIB\n",
      "-----BEGIN PUBLIC KEY-----\n\(String(repeating: "A", count: 64))\n-----END PUBLIC KEY-----",
      "expected header -----BEGIN PRIVATE KEY----- but found nothing", "monkey=\"bananas1234\"",
      "[carrel: 12 issues left out here]", "Array<Token>(repeating1234)",
      "nextPageToken=abc123def456", "sk-learn, disk-1234567890-1234567890 ask-me-anything-tomorrow",
    ]
    texts.append(
      "data:image/png;base64,"
        + String(
          decoding: (0..<50_000).map { _ in
            Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)[
              Int(random.next() % 64)]
          }, as: UTF8.self))
    for text in texts {
      let (found, counts) = try redacted(text, search)
      #expect(found == text && counts.isEmpty, "\(counts)")
    }
    let noise = (0..<2_000_000).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    #expect(try search.redacted(noise).counts.isEmpty)
  }

  @Test func theConfigurationAddsAndKeeps() throws {
    var options = RedactionOptions()
    options.patterns = [.init(id: "ticket", text: #"TICKET-[0-9]{6}\b"#)]
    options.names = ["LICENSE", "VAULT_*"]
    let example = "AKI" + "AIOSFODNN7EXAMPLE"
    options.keep = [example]
    let search = try search(
      options, ["LICENSE": "plain-words-here", "VAULT_PLACE": "left/of/the/door"])
    let (text, counts) = try redacted(
      "TICKET-123456 TICKET-1234567 \(example) plain-words-here left/of/the/door license: abcdef",
      search)
    #expect(
      text == "************* TICKET-1234567 \(example) **************** **************** "
        + "license: ******")
    #expect(counts == ["ticket": 1, "environment-value": 2, "secret-value": 1])
  }

  /// A variable that the configuration names and whose value is gone already is not counted again.
  @Test func aValueIsTakenOutOnce() throws {
    var options = RedactionOptions()
    options.names = ["LICENSE"]
    let search = try search(options, ["LICENSE": "some words"])
    for text in [
      #""LICENSE" : "\#(SecretSearch.removedValue)""#,
      json(#"{"LICENSE":"\#(SecretSearch.removedValue)"}"#),
    ] {
      let (left, counts) = try redacted(text, search)
      #expect(left == text && counts.isEmpty)
    }
    let (_, counts) = try redacted("LICENSE=some words", search)
    #expect(counts == ["environment-value": 1])
  }

  @Test(arguments: ["jwt", "secret-value", "environment-value"])
  func namesOfOtherRulesAreRefused(_ name: String) {
    var options = RedactionOptions()
    options.patterns = [.init(id: name, text: "TICKET-[0-9]+")]
    let error = #expect(throws: EvidenceError.self) { try search(options) }
    #expect(error?.code == .invalidPattern)
    #expect(error?.message.contains(name) == true)
    #expect(error?.message.contains("has this name") == true)
  }

  @Test(arguments: [
    ("ab", "at least 3 fixed"), ("[a-z]+x", "at least 3 fixed"), (".*", "at least 3 fixed"),
    ("abc(", "')' is missing"), ("abc)", "no '('"), ("abc[", "']' is missing"),
    ("abc{2", "repetition"), ("abc{5,2}", "repetition"), ("abc{9999}", "repetition"),
    ("*abc", "nothing to repeat"), ("abc\\", "ends with"), ("abc\\q", "'\\q'"),
    ("^abc", "'^'"), ("abc(?=x)y", "at the end only"), ("abc([a-z]{1000}){1000}", "too large"),
    ("abc[z-a]", "backwards"), ("", "at least 3 fixed"), ("abc\\K*", "'\\K'"),
  ])
  func badPatternsAreErrors(_ text: String, _ reason: String) throws {
    var options = RedactionOptions()
    options.patterns = [.init(id: "mine", text: text)]
    do {
      _ = try search(options)
      Issue.record("'\(text)' is taken")
    } catch let error as EvidenceError {
      #expect(error.code == .invalidPattern && error.message.contains("the pattern 'mine'"))
      #expect(error.context["reason"]?.contains(reason) == true, "\(error)")
    }
  }

  /// Every form that patterns have, against what it must find.
  @Test(arguments: [
    ("(ab|cd|ef)[xy]z", "abxz cdyz efz abz", "**** **** efz abz"),
    ("x[0-9]yz", "x1yz xayz", "**** xayz"), ("abcd?e+", "abce abcdee abcd", "**** ****** abcd"),
    ("(?i)abc\\d{2,3}", "ABC1 aBc12 abc1234", "ABC1 ***** ******4"),
    ("id=\\K\\w+(?=;|$)", "id=abc; id=abc. id=abc", "id=***; id=abc. id=***"),
    ("\\babc", "xabc abc \\nabc %20abc", "xabc *** \\n*** %20***"),
    ("abc.", "abc\" abc\\ abcd", "abc\" abc\\ ****"), ("(abc|abcde)f?", "abcdef", "******"),
    ("a(b(c|d))+e", "abcbde abce abe", "****** **** abe"),
  ])
  func patternsMean(_ pattern: String, _ text: String, _ wanted: String) throws {
    var options = RedactionOptions()
    options.patterns = [.init(id: "a-rule-with-a-long-name", text: pattern)]
    #expect(try redacted(text, try search(options)).text == wanted)
  }

  /// No text makes a search go back: twice the bytes take about twice the steps, which a bound on
  /// the time of texts made to be bad shows well enough.
  @Test(arguments: [
    "key=\"", "token_", "-----BEGIN PRIVATE KEY-----\n", "ey" + "J", "://a:", "a", "\\\\\\\"",
    "Authorization: Basic ", "passwd", "[carrel: 1 bytes left out here]\n", "aaaa(b", "cookie:a=",
  ])
  func badTextsAreNotSlow(_ piece: String) throws {
    var options = RedactionOptions()
    options.patterns = [.init(id: "mine", text: "aaa(a*)*(a|aa)+b{3,100}c")]
    let search = try search(options)
    let text = Array(String(repeating: piece, count: (1 << 19) / piece.utf8.count).utf8)
    let result = try search.redacted(text)
    #expect(result.bytes.count == text.count)
  }
}
