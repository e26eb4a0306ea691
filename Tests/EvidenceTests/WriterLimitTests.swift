import RunModel
import Testing

@testable import Evidence

@Suite struct WriterLimitTests {
  /// A writer must not make what a reader refuses.
  @Test(arguments: ["message", "reason", "many issues", "escapes", "many tests before"])
  func whatAManifestCannotHoldIsShortened(kind: String) throws {
    let scratch = try Scratch()
    var manifest = BundleManifest.sample()
    // Narrower than in earnest, to be quick.
    var limits = BundleLimits()
    limits.manifestBytes = 1 << 20
    let text = "begin " + String(repeating: "ä message. ", count: 200_000) + " end"
    switch kind {
    case "message": manifest.issues[0].message = text
    case "reason": manifest.reason = text
    case "many issues":
      manifest.issues = (0..<30_000).map {
        TestIssue(message: "issue \($0)", severity: $0 == 29_999 ? .error : .warning)
      }
    case "escapes": manifest.issues[0].message = String(repeating: "\u{1}", count: 400_000)
    default:
      manifest.predecessors = (0..<40_000).map {
        TestID(product: "P", library: .testing, name: "M.Suite/aTestWithALongName\($0)()")
      }
    }
    let path = "\(scratch.path)/b.tar"
    try FailureBundle.write(
      BundleContents(manifest: manifest, entries: []), to: path, limits: limits)
    let bundle = BundleReader(path: path, limits: limits)
    #expect(try bundle.verify().isWhole)
    let read = try bundle.manifest()
    switch kind {
    case "message", "reason":
      let read = kind == "reason" ? read.reason ?? "" : read.issues[0].message
      #expect(read.hasPrefix("begin ä") && read.hasSuffix(" end"))
      #expect(read.utf8.count < 1 << 20 && !read.contains("\u{FFFD}"))
      let left = read.firstMatch(of: /\n\[carrel: ([0-9]+) bytes left out here\]\n/)
      let count = left.flatMap { Int($0.1) } ?? 0
      #expect(count + read.utf8.count - (left?.0.utf8.count ?? 0) == text.utf8.count)
    case "many issues":
      #expect(read.issues.filter(\.isFailure).map(\.message) == ["issue 29999"])
      let left = 30_000 - (read.issues.count - 1)
      #expect(read.issues.last?.message == "[carrel: \(left) issues left out here]")
    case "escapes": #expect(read.issues[0].message.contains("bytes left out here]"))
    default:
      #expect(read.predecessors == Array(manifest.predecessors.prefix(read.predecessors.count)))
      #expect(
        read.issues.last?.message == "[carrel: \(40_000 - read.predecessors.count) "
          + "tests that ran before left out here]")
    }
  }

  /// The list of contents counts among the bytes of a bundle.
  @Test func whatTheListNeedsIsKeptFree() throws {
    let scratch = try Scratch()
    for number in 0..<200 { try scratch.write("box/\(number)", "0123456789") }
    var limits = BundleLimits()
    for bytes in [20_000, 30_000] {
      limits.totalBytes = bytes
      let bundle = try scratch.pack(to: "\(bytes).tar", limits: limits)
      let check = try bundle.verify()
      #expect(check.isWhole, "\(check.problems)")
      #expect(check.notes.first?.kind == .limit)
    }
    limits = BundleLimits()
    limits.contentsBytes = 20_000
    let check = try scratch.pack(to: "list.tar", limits: limits).verify()
    #expect(check.isWhole, "\(check.problems)")
    #expect(check.notes.last?.message.hasSuffix("more notes are left out") == true)
  }
}
