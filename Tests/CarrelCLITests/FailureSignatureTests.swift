import RunModel
import Testing

@testable import CarrelCLI

@Suite struct FailureSignatureTests {
  private func signature(
    _ verdict: Verdict = .failed, _ message: String? = nil, reason: String? = nil,
    leaks: [LeakedProcess] = [], container: String? = "/tmp/carrel-1/aB/w1"
  ) -> FailureSignature {
    FailureSignature(
      AttemptResult(
        test: TestID(product: "P", library: .xctest, name: "M.C/test"), attempt: 1, batch: 1,
        worker: 1, verdict: verdict, reason: reason,
        issues: message.map { [TestIssue(message: $0)] } ?? [], startedAt: 0, duration: 0,
        leaks: leaks),
      container: container)
  }

  @Test func containersAreTheSameWhereverTheyAre() {
    let first = signature(.failed, "no file /tmp/carrel-1/aB/w1/home/x in /tmp/carrel-1/aB/w1")
    let second = signature(.failed, "no file /w/c/home/x in /w/c", container: "/w/c")
    #expect(first == second)
    #expect(first.message == "no file <container>/home/x in <container>")
    #expect(first != signature(.failed, "no file /w/c/home/x in /w/c"))
    for container in [nil, ""] {
      #expect(signature(.failed, "no /x", container: container).message == "no /x")
    }
  }

  @Test(arguments: [
    ("/src/Notes", "/src/Notes"), ("/home/Zoë/Klon 2", "/home/Zo%C3%AB/Klon%202"),
    ("/a,b/{c}", "/a,b/%7Bc%7D"), ("/a%20+b", "/a%2520+b"),
  ])
  func packagesAreTheSameWhereverTheyAre(path: String, inURL: String) {
    let text = "no '\(path)/x' {NSURL=file://\(inURL)/x, NSFilePath=\(path)/x} in \(path)."
    let signature = FailureSignature(
      AttemptResult(
        test: TestID(product: "P", library: .xctest, name: "M.C/test"), attempt: 1, batch: 1,
        worker: 1, verdict: .failed, issues: [TestIssue(message: text)], startedAt: 0,
        duration: 0), container: "/tmp/carrel", package: path)
    #expect(
      signature.message
        == "no '<package>/x' {NSFilePath=<package>/x, NSURL=file://<package>/x} in <package>.")
  }

  /// A folder whose name begins like that of the package is another one.
  @Test func onlyWholeNamesArePackages() {
    let text = "/src/Notes2 /src/Notes-2 /src/Notes_2 /src/Notes%202 /src/Notesé /src/Notes.x"
    #expect(FailureSignature.replacing("/src/Notes", with: "P", in: text) == text)
    #expect(FailureSignature.replacing("/", with: "P", in: text) == text)
    #expect(FailureSignature.replacing("", with: "P", in: text) == text)
    #expect(FailureSignature.replacing("/src/Notes", with: "P", in: "/src/Notes") == "P")
  }

  @Test func addressesAreTheSame() {
    let message = signature(.failed, "<A: 0x7fFe12> is not <A: 0x5>, 0x is none, 10x4 too").message
    #expect(message == "<A: 0x...> is not <A: 0x...>, 0x is none, 10x4 too")
  }

  /// UUIDs are made anew in each run; what is not one counts.
  @Test func identifiersAreTheSame() {
    let first = signature(
      .failed, "(\"1\") is not (\"0\") - [A/512AADD4-1520-4DB5-8526-43A05C6B2F0F]")
    let second = signature(
      .failed, "(\"1\") is not (\"0\") - [A/96388062-ab3c-4e3c-8f5b-2b3c9eddbb92]")
    #expect(first == second)
    #expect(first.message == "(\"1\") is not (\"0\") - [A/<UUID>]")
    #expect(
      first
        != signature(.failed, "(\"2\") is not (\"0\") - [A/512AADD4-1520-4DB5-8526-43A05C6B2F0F]"))
    for text in ["512AADD4-1520-4DB5-8526-43A05C6B2F0", "512AADD4-1520-4DB5-8526-43A05C6B2F0FF"] {
      #expect(signature(.failed, text).message == text)
    }
  }

  /// A call of an app is the same when lines were added above it.
  @Test func linesOfCallsAreTheSame() {
    let first = signature(.failed, "Do of com.App: no (called at A/B.swift:12)\nlast output: 12")
    #expect(first.message == "Do of com.App: no (called at A/B.swift:...)\nlast output: 12")
    #expect(
      first == signature(.failed, "Do of com.App: no (called at A/B.swift:9)\nlast output: 12"))
    #expect(
      first != signature(.failed, "Do of com.App: no (called at A/C.swift:9)\nlast output: 12"))
  }

  @Test func messageAndVerdictBothCount() {
    #expect(signature(.failed, "a") == signature(.failed, "a"))
    #expect(signature(.failed, "a") != signature(.failed, "b"))
    #expect(signature(.failed, "a") != signature(.crashed, "a"))
    #expect(signature(.failed, "10") != signature(.failed, "11"))
    // The first failure is what the signature is of, else the reason.
    #expect(signature(.crashed, "a", reason: "r") == signature(.crashed, "a", reason: "s"))
    #expect(signature(.crashed, reason: "r") != signature(.crashed, reason: "s"))
  }

  /// A leaked process has another number each time, and two of them no order.
  @Test func leaksAreKnownByTheirCommands() {
    func leaks(_ processes: (Int32, String)..., reason: String) -> FailureSignature {
      signature(
        .leaked, reason: reason,
        leaks: processes.map { LeakedProcess(pid: $0.0, command: $0.1) })
    }
    let first = leaks((1, "sleep 9"), (2, "cat /tmp/carrel-1/aB/w1/x"), reason: "left 1, 2")
    let second = leaks((8, "cat /tmp/carrel-1/aB/w1/x"), (9, "sleep 9"), reason: "left 8, 9")
    #expect(first == second)
    #expect(first.message == "cat <container>/x\nsleep 9")
    #expect(first != leaks((1, "sleep 9"), reason: "left 1, 2"))
    #expect(first != leaks((1, "sleep 9"), (2, "sleep 8"), reason: "left 1, 2"))
  }

  @Test func safeTextDrivesNoTerminal() {
    #expect(signature(.timedOut).safeText == "timed-out")
    let text = signature(.failed, "red \u{1B}[31m\nnext\r").safeText
    #expect(text == "failed: red \\u{1B}[31m\\nnext\\r")
  }

  /// The hash seed of a process, the place where it is loaded, and the limit of another run.
  @Test func whatDiffersBetweenProcessesIsTheSame() {
    let first = signature(
      .failed, #"(["b": 2, "a": [3, 1]]) != (["c"]), P(unknown context at $55a5ef485e98)"#)
    let second = signature(
      .failed, #"(["a": [1, 3], "b": 2]) != (["c"]), P(unknown context at $5600ef485e90)"#)
    #expect(first == second)
    #expect(signature(.failed, "[1, 2]") != signature(.failed, "[1, 3]"))
    #expect(signature(.failed, "1, 2") != signature(.failed, "2, 1"))
    #expect(
      signature(.timedOut, reason: "limit of 2 s") == signature(.timedOut, reason: "limit of 1 s"))
  }

  @Test(arguments: [
    ("Code=1 UserInfo={b=2, a={y=1, x=2}}", "Code=1 UserInfo={a={x=2, y=1}, b=2}"),
    ("{[2, 1}", "{[2, 1}"), ("[{b, a}, c]", "[c, {a, b}]"), ("a}, {b, a", "a}, {b, a"),
    ("[b, a]", "[a, b]"), ("x]", "x]"), ("[b, a", "[b, a"), ("[]", "[]"), ("", ""),
    ("a, b", "a, b"),
    ("[[2, 1], [1, 0]]", "[[0, 1], [1, 2]]"), ("f([b,a]), [", "f([a, b]), ["),
  ])
  func elementsAreSorted(text: String, sorted: String) {
    #expect(FailureSignature.sortingElements(text) == sorted)
  }
}
