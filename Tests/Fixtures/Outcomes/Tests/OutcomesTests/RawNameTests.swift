import Testing

/// Two suites with the same raw names, which hold every character that separates things elsewhere.
@Suite struct RawNameTests {
  @Test func `and/another.one "q" <x> (y)`() {
    Issue.record("raw one of the first suite")
  }

  @Test func another() {}

  @Test func `ends with a dot.`() {}

  @Test func `emoji 👩‍👩‍👧 and 日本語`() {
    Issue.record("emoji failed")
  }

  @Test func `50 % off, a:b; c=d & 'e' $f *g* [h] ^i| j+ #k`() {
    Issue.record("symbols failed")
  }

  @Test(arguments: [1]) func `takes (label:)`(label: Int) {}
}

@Suite struct `Raw suite/2.0` {
  @Test func `and/another.one "q" <x> (y)`() {}

  @Test func another() {
    Issue.record("plain one of the second suite")
  }

  @Suite struct Nested {
    @Test func another() {}
  }
}

/// The same names but for their arguments.
@Suite struct OverloadTests {
  @Test func same() {}
  @Test(arguments: [1]) func same(number: Int) { Issue.record("the one with a number") }
  @Test(arguments: ["a"]) func same(text: String) {}
  @Test(arguments: ["a"]) func same(number: String) {}
}
