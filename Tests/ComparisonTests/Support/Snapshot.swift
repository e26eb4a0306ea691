import FoundationEssentials
import Testing

/// Compares a text with the file of that name in `Snapshots`.
///
/// With `CARREL_RECORD_SNAPSHOTS=1` in the environment the file is rewritten instead.
func expectSnapshot(
  _ text: String, _ name: String, sourceLocation: Testing.SourceLocation = #_sourceLocation
) throws {
  let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Snapshots/\(name)")
  if ProcessInfo.processInfo.environment["CARREL_RECORD_SNAPSHOTS"] == "1" {
    try Data("\(text)\n".utf8).write(to: file)
    return
  }
  let wanted = String(decoding: try Data(contentsOf: file), as: UTF8.self).split(
    separator: "\n", omittingEmptySubsequences: false)
  let got = "\(text)\n".split(separator: "\n", omittingEmptySubsequences: false)
  for index in 0..<max(got.count, wanted.count) {
    try #require(
      (index < got.count ? got[index] : nil) == (index < wanted.count ? wanted[index] : nil),
      "\(name):\(index + 1)", sourceLocation: sourceLocation)
  }
}
