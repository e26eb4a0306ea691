import Testing

@testable import Comparison

@Suite struct SpecificNamesTests {
  private let names = SpecificNames([
    .container: "/tmp/carrel-1000/Zq3x9A/w1", .package: "/src/Notes",
    .run: "20261130T053000Z-4f3a2b", .fixture: "bg2oc675rawntf7y",
  ])

  @Test(arguments: [
    ("at /src/Notes/a.swift:3", "at <package>/a.swift:3"),
    ("/src/Notes", "<package>"),
    ("/src/Notes.", "<package>."),
    ("file:///tmp/carrel-1000/Zq3x9A/w1/home", "file://<container>/home"),
    ("run 20261130T053000Z-4f3a2b: bg2oc675rawntf7y", "run <run>: <fixture>"),
    // Parts of longer names.
    ("/src/Notes2", "/src/Notes2"), ("/src/Notes.old", "/src/Notes.old"),
    ("x/src/Notes", "x/src/Notes"), ("/tmp/carrel-1000/Zq3x9A/w10", "/tmp/carrel-1000/Zq3x9A/w10"),
    ("nothing", "nothing"), ("", ""),
  ])
  func replacesWholeNames(text: String, wanted: String) {
    #expect(names.replaced(in: text) == wanted)
  }

  @Test func theLongerOfTwoNamesIsReplaced() {
    let nested = SpecificNames([.package: "/src/Notes", .container: "/src/Notes/.carrel/w1"])
    #expect(
      nested.replaced(in: "/src/Notes/.carrel/w1/home /src/Notes/x")
        == "<container>/home <package>/x")
  }

  /// What may stand for something else stays.
  @Test func shortNamesAreNotReplaced() {
    let names = SpecificNames([
      .package: "/src", .container: "/", .run: "r1", .fixture: "abc",
    ])
    #expect(names.kinds.isEmpty)
    #expect(names.replaced(in: "/src r1 abc /") == "/src r1 abc /")
    #expect(SpecificNames([.container: "relative/path/x"]).kinds.isEmpty)
    #expect(SpecificNames([.container: ""]).kinds.isEmpty)
  }

  @Test func bytesThatAreNoTextStay() {
    #expect(names.replaced(in: [0xFF, 0, 0x2F]) == [0xFF, 0, 0x2F])
  }
}
