import IntentWire
import RunModel
import TestSupport
import Testing

@testable import Comparison

@Suite struct FieldDifferenceTests {
  private func between(_ a: String, _ b: String) throws -> [String] {
    try FieldDifference.between(
      WireJSON(reading: Array(a.utf8)), WireJSON(reading: Array(b.utf8))
    ).map { "\($0.name): \($0.a ?? "-") | \($0.b ?? "-")" }
  }

  @Test func membersAreComparedByName() throws {
    #expect(
      try between(#"{"a":1,"b":{"c":"x","d":null},"e":[]}"#, #"{"b":{"c":"y"},"a":1,"f":true}"#)
        == ["b.c: x | y", "e: [] | -", "f: - | true"])
    #expect(try between("{}", #"{"a":null}"#) == [])
    #expect(try between(#"{"a":{"x":1,"y":2}}"#, #"{"a":{"y":2,"x":1}}"#) == [])
    #expect(try between(#"{"a":{"x":1}}"#, #"{"a":[1]}"#) == [#"a: {"x":1} | [1]"#])
  }

  @Test func elementsAreAligned() throws {
    #expect(try between("[1,2,3]", "[2,3]") == ["[0]: 1 | -"])
    #expect(try between("[2,3]", "[1,2,3]") == ["[0]: - | 1"])
    #expect(try between(#"[{"a":1,"b":2}]"#, #"[{"a":1,"b":3}]"#) == ["[0].b: 2 | 3"])
    #expect(try between("[1,2,3,4]", "[1,3,5]") == ["[1]: 2 | -", "[3|2]: 4 | 5"])
  }

  @Test func expectedFieldsDoNotCount() {
    func marked(_ name: String, _ part: BundlePart, isExact: Bool = false) -> Bool? {
      ExpectedFields.marked(
        [FieldDifference(name, a: "1", b: "2")], of: part, isExact: isExact
      ).first?.isExpected
    }
    for name in [
      "runID", "startedAt", "run.seed", "leaks[0].pid", "stdout.path", "run.products[0].x",
    ] {
      #expect(marked(name, .manifest) == true, "\(name)")
      #expect(marked(name, .manifest, isExact: true) == false, "\(name)")
    }
    for name in ["verdict", "leaks[0].command", "stdout.isTruncated", "run.buildFlags[0]", "new"] {
      #expect(marked(name, .manifest) == false, "\(name)")
    }
    #expect(marked("environment.CARREL_RUN_ID", .command) == true)
    #expect(marked("environment.CI", .command) == false)
    #expect(marked("arguments[0]", .command) == false)
  }

  @Test func whatTellsMostComesFirst() {
    let names = ["zebra", "runtime", "issues[0].message", "verdict", "toolchain"]
    let marked = ExpectedFields.marked(
      names.map { FieldDifference($0, a: nil, b: "1") }, of: .manifest, isExact: false)
    #expect(
      marked.map(\.name) == ["verdict", "issues[0].message", "toolchain", "runtime", "zebra"])
  }

  @Test func toolchainsAreComparedFactByFact() {
    let a = ToolchainFacts([
      "compiler.version": "6.3.1", "kernel.release": "6.1", "product.P": "sha256:1", "new": "x",
    ])
    let b = ToolchainFacts([
      "compiler.version": "6.2", "kernel.release": "6.1", "libc": "glibc 2.36", "new": "y",
    ])
    let fields = ToolchainFields.between(a, b, prefix: "f.")
    #expect(
      fields.map(\.name) == ["f.compiler.version", "f.libc", "f.product.P", "f.new"])
    #expect(fields[0].note == "can change results" && fields[1].note == nil)
    #expect(fields[1].a == nil && fields[2].b == nil)
    let mirror = ToolchainFields.between(b, a, prefix: "f.")
    #expect(mirror.map(\.name) == fields.map(\.name))
    #expect(mirror.map(\.a) == fields.map(\.b))
    #expect(ToolchainFields.between(a, a, prefix: "").isEmpty)
  }
}
