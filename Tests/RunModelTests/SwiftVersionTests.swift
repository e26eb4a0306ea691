import RunModel
import Testing

@Suite struct SwiftVersionTests {
  @Test(arguments: [
    ("Swift version 6.3.1 (swift-6.3.1-RELEASE)\nTarget: x86_64-unknown-linux-gnu", "6.3.1"),
    ("Swift version 6.3 (swift-6.3-RELEASE)", "6.3"),
    ("swift-driver version: 1.120 Apple Swift version 6.2.3 (swiftlang-6.2)", "6.2.3"),
    ("a line\nSwift version 6.4-dev (LLVM 1a, Swift 2b)\r\n", "6.4-dev"),
  ]) func versionsAreFoundInWhatCompilersSay(text: String, version: String) {
    #expect(SwiftVersion(describedBy: text)?.description == version)
  }

  @Test func theBuildStandsInParentheses() {
    let release = SwiftVersion(describedBy: "Swift version 6.3.1 (swift-6.3.1-RELEASE)")
    #expect(release?.build == "swift-6.3.1-RELEASE" && release?.numbers == [6, 3, 1])
    let snapshot = SwiftVersion(describedBy: "Swift version 6.4-dev (LLVM 1a, Swift 2b)")
    #expect(snapshot?.build == "LLVM 1a, Swift 2b" && snapshot?.isDevelopment == true)
    #expect(SwiftVersion(describedBy: "Swift version 6.3.1")?.build == nil)
  }

  @Test(arguments: ["", "6.", ".6", "6.3.1.0", "six", "6.3-beta", "-1", "6..3", "٦.3", "+6"])
  func otherTextsAreNoVersions(text: String) {
    #expect(SwiftVersion(parsing: text) == nil)
    #expect(SwiftVersion(describedBy: "Swift version \(text)") == nil)
  }

  @Test func snapshotsComeBeforeTheirRelease() throws {
    let texts = ["5.10", "6.2", "6.2.4", "6.3-dev", "6.3", "6.3.1", "6.10"]
    let versions = try texts.map { try #require(SwiftVersion(parsing: $0)) }
    #expect(versions.reversed().sorted().map(\.description) == texts)
    #expect(versions[4].isSameMinor(as: versions[5]) && !versions[3].isSameMinor(as: versions[4]))
  }
}
