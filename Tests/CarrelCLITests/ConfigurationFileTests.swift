import IntentMetadata
import IntentWire
import RunEngine
import RunModel
import TestSupport
import Testing
import Workers

@testable import CarrelCLI

@Suite struct ConfigurationFileTests {
  @Test(arguments: ToolchainPolicy.allCases) func policies(policy: ToolchainPolicy) throws {
    let text = #"{"format": "1.0", "toolchain": {"policy": "\#(policy.rawValue)"}}"#
    let content = try ConfigurationFile.read(Array(text.utf8))
    #expect(content.toolchainPolicy == policy && content.unknown == [])
    #expect(
      try ConfigurationFile.read(Array(#"{"format": "1.0"}"#.utf8)).toolchainPolicy == nil)
    let wrong = Array(#"{"format": "1.0", "toolchain": {"policy": "strict"}}"#.utf8)
    #expect(throws: ConfigurationFile.Problem.self) { try ConfigurationFile.read(wrong) }
  }

  private func read(
    _ text: String
  ) throws(ConfigurationFile.Problem) -> (IntentOptions, unknown: [String]) {
    let content = try ConfigurationFile.read(Array(text.utf8))
    return (content.intents, content.unknown)
  }

  @Test func metadata() throws {
    let text = """
      {"format": "1.0", "intents": {"metadata": true}, "metadata": {"baseline": "known.json",
        "rules": {"missing-title": "note", "text-not-literal": "off", "no-rule": "off"}}}
      """
    let content = try ConfigurationFile.read(Array(text.utf8))
    #expect(content.intents.extractsMetadata)
    #expect(
      content.metadata
        == MetadataSettings(
          severities: [.missingTitle: .note, .textNotLiteral: .off], baseline: "known.json"))
    #expect(content.unknown == ["unknown key 'metadata.rules.no-rule' is ignored"])
    let plain = try ConfigurationFile.read(Array(#"{"format": "1.0"}"#.utf8))
    #expect(!plain.intents.extractsMetadata && plain.metadata == MetadataSettings())
  }

  @Test(arguments: [
    (#""intents": {"metadata": 1}"#, "'intents.metadata' must be true or false"),
    (#""metadata": []"#, "'metadata' must hold an object"),
    (#""metadata": {"baseline": ""}"#, "'metadata.baseline' must be a path"),
    (#""metadata": {"rules": []}"#, "'metadata.rules' must hold an object"),
    (#""metadata": {"rules": {"missing-title": "bad"}}"#, "'metadata.rules.missing-title' must be"),
  ])
  func wrongMetadata(_ member: String, _ message: String) {
    let problem = #expect(throws: ConfigurationFile.Problem.self) {
      try ConfigurationFile.read(Array("{\"format\": \"1.0\", \(member)}".utf8))
    }
    #expect(problem?.text.hasPrefix(message) == true, "\(problem?.text ?? "")")
  }

  @Test func isolation() throws {
    let text = """
      {"format": "1.0", "isolation": {"level": "sandbox", "network": "none",
        "writable": ["Snapshots", "/var/x"], "scratch": ["Tests"], "clone": "copy"}}
      """
    let isolation = try ConfigurationFile.read(Array(text.utf8)).isolation
    #expect(
      isolation
        == IsolationRequest(
          level: .sandbox, network: .none, writable: ["Snapshots", "/var/x"], scratch: ["Tests"],
          clone: .copy))
    let plain = try ConfigurationFile.read(Array(#"{"format": "1.0"}"#.utf8)).isolation
    #expect(plain == IsolationRequest())
  }

  @Test func everythingThatThereIs() throws {
    let (options, unknown) = try read(
      """
      {"format": "1.7", "intents": {"callLimit": 2.5, "startLimit": 3, "indexDelay": 0.01, "seed": {
        "bundle": "com.example.Notes", "intent": "Seed", "shared": false,
        "parameters": {"a": 1, "b": 0.5, "c": "x", "d": [true, null]}}}}
      """)
    #expect(unknown == [])
    #expect(options.callLimit == 2.5 && options.indexDelay == 0.01 && options.startLimit == 3)
    #expect(
      options.seed
        == SeedCall(
          bundleIdentifier: "com.example.Notes", intent: "Seed",
          parameters: [
            "a": .int(1), "b": .double(0.5), "c": .string("x"), "d": .array([.bool(true), .null]),
          ], isShared: false))
  }

  @Test func defaults() throws {
    let (options, _) = try read(#"{"format": "1.0"}"#)
    #expect(options == IntentOptions())
    let seed = try read(
      #"{"format": "1.0", "intents": {"seed": {"bundle": "b", "intent": "i"}}}"#
    ).0.seed
    #expect(seed?.isShared == true && seed?.parameters == [:])
  }

  @Test func limits() throws {
    let text = """
      {"format": "1.0", "limits": {"memory": "512MiB", "processes": 64, "files": 256,
        "disk": "1 GiB", "cpus": 2, "silence": 30.5, "memroy": 1}}
      """
    let content = try ConfigurationFile.read(Array(text.utf8))
    #expect(
      content.limits
        == ResourceLimits(
          memory: 512 << 20, processes: 64, files: 256, disk: 1 << 30, cpus: 2, silence: 30.5))
    #expect(content.unknown == ["unknown key 'limits.memroy' is ignored; did you mean 'memory'?"])
    #expect(try ConfigurationFile.read(Array(#"{"format": "1.0"}"#.utf8)).limits.isEmpty)
  }

  @Test func unknownKeysAreNamed() throws {
    let (_, unknown) = try read(
      """
      {"format": "1.0", "x": 1, "intents": {"callLimits": 1,
        "seed": {"bundle": "b", "intent": "i", "sharde": 1}}}
      """)
    #expect(
      unknown == [
        "unknown key 'x' is ignored",
        "unknown key 'intents.callLimits' is ignored; did you mean 'callLimit'?",
        "unknown key 'intents.seed.sharde' is ignored; did you mean 'shared'?",
      ])
  }

  @Test(arguments: [
    ("", "not JSON"), ("[]", "the file must hold an object"), ("{}", "'format' is missing"),
    (#"{"format": 1}"#, "'format' must be a string"), (#"{"format": "x"}"#, "must be like \"1.0\""),
    (#"{"format": "2.0"}"#, "newer than this version"),
    (#"{"format": "1.0", "isolation": 1}"#, "'isolation' must hold an object"),
    (
      #"{"format": "1.0", "isolation": {"level": "strong"}}"#,
      #"'isolation.level' must be one of "directories", "processes", "sandbox", not "strong""#
    ), (#"{"format": "1.0", "isolation": {"network": 1}}"#, "'isolation.network' must be a string"),
    (#"{"format": "1.0", "isolation": {"writable": "x"}}"#, "must be an array of paths"),
    (#"{"format": "1.0", "isolation": {"writable": [""]}}"#, "must be an array of paths"),
    (#"{"format": "1.0", "isolation": {"scratch": [7]}}"#, "must be an array of paths"),
    (#"{"format": "1.0", "isolation": {"clone": "fast"}}"#, "must be one of"),
    (#"{"format": "1.0", "format": "1.0"}"#, "not JSON"),
    (#"{"format": "1.0", "intents": 1}"#, "'intents' must hold an object"),
    (#"{"format": "1.0", "intents": {"callLimit": 0}}"#, "more than 0"),
    (#"{"format": "1.0", "intents": {"callLimit": "1"}}"#, "more than 0 and at most"),
    (#"{"format": "1.0", "intents": {"indexDelay": -1}}"#, "a number of seconds from 0 to"),
    (#"{"format": "1.0", "limits": []}"#, "'limits' must hold an object"),
    (#"{"format": "1.0", "limits": {"memory": 1}}"#, "'limits.memory' must be a size like"),
    (#"{"format": "1.0", "limits": {"disk": "1KiB"}}"#, "from 4 KiB to"),
    (#"{"format": "1.0", "limits": {"files": 3}}"#, "'limits.files' must be a whole number from"),
    (#"{"format": "1.0", "limits": {"cpus": 1.5}}"#, "'limits.cpus' must be a whole number"),
    (#"{"format": "1.0", "limits": {"silence": 0}}"#, "'limits.silence' must be a number"),
    (#"{"format": "1.0", "intents": {"seed": {"bundle": "b"}}}"#, "needs 'bundle' and 'intent'"),
    (
      #"{"format": "1.0", "intents": {"seed": {"bundle": "b", "intent": "i", "shared": 1}}}"#,
      "true or false"
    ),
    (
      #"{"format": "1.0", "intents": {"seed": {"bundle": "b", "intent": "i", "#
        + #""parameters": {"a": {}}}}}"#,
      "'intents.seed.parameters.a' must be"
    ),
  ])
  func whatIsNone(text: String, problem: String) {
    let error = #expect(throws: ConfigurationFile.Problem.self) { try read(text) }
    #expect(error?.text.contains(problem) == true, "\(error?.text ?? "")")
  }

  /// Whatever bytes there are: options or a problem.
  @Test func anyBytes() {
    let text = """
      {"format": "1.0", "intents": {"callLimit": 30,
        "seed": {"bundle": "b", "intent": "i", "parameters": {"a": [1, {}]}}}}
      """
    for seed in 0..<2000 {
      var generator = SeededGenerator(seed: seed)
      var bytes = Array(text.utf8)
      for _ in 0..<Int.random(in: 1...6, using: &generator) {
        let index = Int.random(in: 0..<bytes.count, using: &generator)
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: bytes[index] = UInt8.random(in: 0...255, using: &generator)
        case 1: bytes.remove(at: index)
        default: bytes.insert(contentsOf: bytes.prefix(index), at: index)
        }
      }
      _ = try? ConfigurationFile.read(bytes)
    }
  }
}
