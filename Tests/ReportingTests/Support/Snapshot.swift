import FoundationEssentials
import Testing

/// Compares a text with the file of that name in `Snapshots`.
///
/// With `CARREL_RECORD_SNAPSHOTS=1` in the environment the file is rewritten instead.
func expectSnapshot(
  _ text: String, _ name: String, sourceLocation: Testing.SourceLocation = #_sourceLocation
) throws {
  let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Snapshots")
  let file = folder.appending(path: name)
  if ProcessInfo.processInfo.environment["CARREL_RECORD_SNAPSHOTS"] == "1" {
    try Data(text.utf8).write(to: file)
    return
  }
  let expected = String(decoding: try Data(contentsOf: file), as: UTF8.self)
  let (got, wanted) = (lines(text), lines(expected))
  for index in 0..<max(got.count, wanted.count) {
    let line = index < got.count ? got[index] : nil
    let other = index < wanted.count ? wanted[index] : nil
    try #require(line == other, "\(name):\(index + 1)", sourceLocation: sourceLocation)
  }
}

private func lines(_ text: String) -> [Substring] {
  text.split(separator: "\n", omittingEmptySubsequences: false)
}
