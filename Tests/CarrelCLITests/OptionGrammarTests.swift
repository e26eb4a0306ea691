import Testing

@testable import CarrelCLI

@Suite struct OptionGrammarTests {
  static let spec = CommandSpec(
    name: "do", summary: "does it", positionals: ["FILE", "[FOLDER]"],
    options: [
      OptionSpec("--number", "-n", value: "N", help: "how many"),
      OptionSpec("--word", value: "a|b", help: "which"),
      OptionSpec("--many", "-m", value: "X", isRepeatable: true, help: "any of these"),
      OptionSpec("--loud", "-l", help: "says so"),
    ], rest: "flags", discussion: "More about it.")

  private func parse(_ words: String...) throws(UsageError) -> ParsedArguments {
    try ParsedArguments(words, spec: Self.spec)
  }

  private func message(_ words: [String], spec: CommandSpec = Self.spec) -> String? {
    #expect(throws: UsageError.self) { _ = try ParsedArguments(words, spec: spec) }?.message
  }

  @Test(arguments: [
    ["--number", "2"], ["--number=2"], ["-n", "2"], ["-n2"],
  ]) func aValueComesInEveryForm(words: [String]) throws {
    let parsed = try ParsedArguments(words, spec: Self.spec)
    #expect(parsed.string("--number") == "2" && parsed.has("--number"))
    #expect(try parsed.integer("--number", in: 1...9) == 2)
    #expect(parsed.positionals == [] && parsed.rest == [])
  }

  /// A value that is not needed comes after the `=` only.
  @Test func aValueCanBeImplied() throws {
    var spec = Self.spec
    spec.options.append(OptionSpec("--with", value: "WHAT", implied: "usual", help: "something"))
    let bare = try ParsedArguments(["--with", "other"], spec: spec)
    #expect(bare.string("--with") == "usual" && bare.positionals == ["other"])
    #expect(try ParsedArguments(["--with=other"], spec: spec).string("--with") == "other")
    #expect(message(["--with="], spec: spec)?.contains("needs a value that is not empty") == true)
    #expect(message(["--with", "--with=x"], spec: spec)?.contains("twice") == true)
    #expect(spec.help.contains("--with[=WHAT]"))
  }

  @Test func nothingIsNothing() throws {
    let parsed = try parse()
    #expect(!parsed.has("--number") && !parsed.has("--loud") && !parsed.asksForHelp)
    #expect(parsed.string("--number") == nil && parsed.all("--many") == [])
    #expect(try parsed.integer("--number", in: 0...9) == nil)
    #expect(try parsed.seconds("--number") == nil && parsed.limit("--number") == nil)
    #expect(try parsed.choice("--word", of: ["a"]) == nil)
  }

  @Test func valuesAreTakenAsTheyAre() throws {
    #expect(try parse("--number", "--loud").string("--number") == "--loud")
    #expect(try parse("--number=a=b").string("--number") == "a=b")
    #expect(try parse("-n-1").string("--number") == "-1")
  }

  @Test func optionsAndArgumentsMix() throws {
    let parsed = try parse("-l", "one", "-m", "x", "two", "--many=y", "-mz")
    #expect(parsed.positionals == ["one", "two"] && parsed.has("--loud"))
    #expect(parsed.all("--many") == ["x", "y", "z"] && parsed.string("--many") == "z")
  }

  @Test func whatFollowsTheDashesIsTheRest() throws {
    let parsed = try parse("one", "--", "--number", "-x", "--", "two")
    #expect(parsed.positionals == ["one"] && !parsed.has("--number"))
    #expect(parsed.rest == ["--number", "-x", "--", "two"])
    #expect(try parse("--").rest == [])
    // A dash alone is no option.
    #expect(try parse("-").positionals == ["-"])
    var spec = Self.spec
    spec.rest = nil
    #expect(message(["--", "x"], spec: spec) == "'carrel do' takes nothing after '--'")
    #expect(try ParsedArguments(["--"], spec: spec).rest == [])
  }

  @Test func anArgumentMayComeSeveralTimes() throws {
    var spec = Self.spec
    spec.positionals = ["FILE..."]
    let words = ["a", "b", "c"]
    #expect(try ParsedArguments(words, spec: spec).positionals == words)
  }

  @Test(arguments: [
    ("--numbr", "'carrel do' has no option '--numbr'; did you mean '--number'?"),
    ("--num", "'carrel do' has no option '--num'; did you mean '--number'?"),
    ("--numbers=2", "'carrel do' has no option '--numbers'; did you mean '--number'?"),
    ("--frobnicate", "'carrel do' has no option '--frobnicate'; see 'carrel do --help'"),
  ]) func unknownOptionsAreNamed(word: String, wanted: String) {
    #expect(message([word]) == wanted)
  }

  @Test(arguments: [
    (["--number"], "--number needs a value: --number N"),
    (["-n"], "-n needs a value: -n N"),
    (["--number="], "--number needs a value that is not empty: --number N"),
    (["-n", ""], "-n needs a value that is not empty: -n N"),
    (["a", ""], "'carrel do' was given an empty argument"),
    (["--loud=yes"], "--loud takes no value"),
    (["--number", "1", "-n", "2"], "-n was given twice"),
    (["-l", "--loud"], "--loud was given twice"),
    (["a", "b", "c"], "unexpected argument 'c'; see 'carrel do --help'"),
  ]) func whatMakesNoSenseIsNamed(words: [String], wanted: String) {
    #expect(message(words) == wanted)
  }

  @Test(arguments: [
    "0", "10", "-1", "1.5", "x", "nan", "1e400", "4611686018427387904", "99999999999999999999",
  ]) func numbersHaveARange(text: String) throws {
    let parsed = try parse("--number=\(text)")
    let error = #expect(throws: UsageError.self) { try parsed.integer("--number", in: 1...9) }
    #expect(error?.message == "--number needs a whole number from 1 to 9, not '\(text)'")
  }

  @Test func secondsHaveARange() throws {
    #expect(try parse("--number", "0").seconds("--number") == 0)
    #expect(try parse("--number", "none").limit("--number") == .infinity)
    for text in ["0.5", "1e3", "1000000"] {
      #expect(try parse("--number", text).seconds("--number") == Double(text))
      #expect(try parse("--number", text).limit("--number") == Double(text))
    }
    let wrong = [
      "-1", "nan", "-nan", "inf", "1e400", "1000001", "9223372036854775807", "soon",
    ]
    for text in wrong + ["none"] {
      let error = #expect(throws: UsageError.self) {
        try parse("--number", text).seconds("--number")
      }
      #expect(
        error?.message == "--number needs a number of seconds from 0 to 1000000, not '\(text)'")
    }
    for text in wrong + ["0"] {
      let error = #expect(throws: UsageError.self) { try parse("--number", text).limit("--number") }
      #expect(
        error?.message
          == "--number needs a number of seconds above 0, up to 1000000, or 'none', not '\(text)'")
    }
  }

  @Test func choicesAreListed() throws {
    #expect(try parse("--word=b").choice("--word", of: ["a", "b"]) == "b")
    let error = #expect(throws: UsageError.self) {
      try parse("--word=c").choice("--word", of: ["a", "b"])
    }
    #expect(error?.message == "--word needs one of 'a', 'b', not 'c'")
  }

  @Test func helpIsNoError() throws {
    for words in [["--help"], ["-h"], ["a", "b", "c", "-h"]] {
      #expect(try ParsedArguments(words, spec: Self.spec).asksForHelp)
    }
    #expect(
      Self.spec.help == """
        does it

        usage: carrel do [OPTION]... FILE [FOLDER] [-- flags]

          --number, -n N  how many
          --word a|b      which
          --many, -m X    any of these; may be given several times
          --loud, -l      says so
          --help, -h      print this and exit

        More about it.
        """)
  }

  @Test(arguments: DocumentationTests.specs.indices) func helpFitsIntoATerminal(index: Int) {
    let spec = DocumentationTests.specs[index]
    for line in spec.help.split(separator: "\n") {
      #expect(line.count <= 100 && line.last != " ", "\(line)")
    }
    let names = spec.options.flatMap(\.names) + ["--help", "-h"]
    #expect(Set(names).count == names.count, "two options of one name")
    #expect(spec.options.allSatisfy { $0.names[0].hasPrefix("--") })
  }

  @Test(arguments: [
    ("workers", "workers", true), ("workers", "wokers", true), ("ab", "ba", true),
    ("workers", "wrkrs", true), ("workers", "jobs", false), ("", "abc", false),
  ]) func typingErrorsAreNear(first: String, second: String, isNear expected: Bool) {
    #expect(isNear(first, second) == expected)
  }
}
