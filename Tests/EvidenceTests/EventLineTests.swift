import RunModel
import TestSupport
import Testing

@testable import Evidence

/// The fast way to write an event gives the bytes of the general encoder, or nothing.
@Suite struct EventLineTests {
  private static let names = [
    "M.C/test", "M.S/f()", "a, b", "x%2Fy", "quote\"", "back\\slash", "ä", "tab\t", "", "del\u{7F}",
  ]
  private static let numbers: [Double] = [
    0, 1, -1, 0.1, 1e-7, 1e21, 1_796_031_475.885311, 123456789, .greatestFiniteMagnitude,
    .leastNonzeroMagnitude,
    0.30000000000000004, 1e16, 1e15, 100, -0.0,
  ]

  private func expectSame(_ event: RunEvent, isPlain: Bool? = nil) throws {
    let general = try encodedJSON(event)
    let plain = EventLine.plain(event)
    if let plain {
      #expect(
        plain == general,
        "\(String(decoding: plain, as: UTF8.self)) \(String(decoding: general, as: UTF8.self))")
    }
    if let isPlain { #expect((plain != nil) == isPlain) }
  }

  @Test(arguments: 0..<200 as Range<UInt64>) func bytesAreThoseOfTheEncoder(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    func one<T>(_ values: [T]) -> T { values[Int.random(in: 0..<values.count, using: &random)] }
    let id = TestID(
      product: one(["P", "A:B"]), library: one([.xctest, .testing]), name: one(Self.names))
    let location = one([
      nil, SourceLocation(file: one(Self.names), line: 7),
      SourceLocation(file: "/a/b.swift", line: 1, column: 2),
    ])
    let log = one([
      nil, LogReference(path: one(Self.names), bytes: 3, isTruncated: one([true, false])),
    ])
    let verdict = one([Verdict.passed, .failed, .notRun, .knownIssue])
    let time = one(Self.numbers)
    try expectSame(
      RunEvent(
        time: time,
        .testPlanned(
          TestDescriptor(
            id: id, displayName: one([nil, "d"]), location: location,
            isParameterized: one([true, false]), tags: one([[], ["t"]]), libraryID: one(Self.names))
        )))
    try expectSame(
      RunEvent(time: time, .attemptStarted(AttemptStart(test: id, attempt: 1, batch: 2, worker: 3)))
    )
    try expectSame(
      RunEvent(
        time: time,
        .attemptFinished(
          AttemptResult(
            test: id, attempt: 1, purpose: one([.planned, .retry, .aloneCheck]), batch: 2,
            worker: 3,
            verdict: verdict, reason: one([nil, nil, "r"]),
            issues: one([[], [TestIssue(message: "m")]]), end: one([nil, .exited(0)]),
            startedAt: one(Self.numbers), duration: one(Self.numbers), stdout: log,
            stderr: one([nil, log]), hadCompany: one([true, false])))))
    try expectSame(
      RunEvent(
        time: time,
        .testFinished(
          TestResult(
            test: id, verdict: verdict, isFlaky: one([true, false]), attempts: 2,
            company: one([nil, .alsoAlone]), reason: one([nil, "r"])))))
  }

  @Test func ordinaryEventsArePlain() throws {
    let id = TestID(product: "P", library: .testing, name: "M.S/f()")
    let result = AttemptResult(
      test: id, attempt: 1, batch: 1, worker: 1, verdict: .passed, startedAt: 1.5, duration: 0.25)
    for kind in [
      .testPlanned(TestDescriptor(id: id)),
      .attemptStarted(AttemptStart(test: id, attempt: 1, batch: 1, worker: 1)),
      .attemptFinished(result),
      .testFinished(TestResult(test: id, verdict: .passed, attempts: 1)),
    ] as [RunEvent.Kind] {
      try expectSame(RunEvent(time: 2.5, kind), isPlain: true)
    }
    try expectSame(RunEvent(time: 2.5, .unknown("x")), isPlain: false)
  }
}
