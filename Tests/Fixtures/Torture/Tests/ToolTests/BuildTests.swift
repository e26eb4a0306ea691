import XCTest

/// Builds a package, as tests of build tools do, with the caches and the configuration that the
/// package manager takes when nobody says anything about them.
final class BuildXCTests: XCTestCase {
  func build() throws {
    let folder = try makeFolder()
    let sources = folder.appendingPathComponent("Sources/Tiny")
    try FileManager.default.createDirectory(at: sources, withIntermediateDirectories: true)
    try """
    // swift-tools-version: 6.0
    import PackageDescription
    let package = Package(name: "Tiny", targets: [.executableTarget(name: "Tiny")])
    """.write(
      to: folder.appendingPathComponent("Package.swift"), atomically: true, encoding: .utf8)
    try #"print("built by a test")"#.write(
      to: sources.appendingPathComponent("main.swift"), atomically: true, encoding: .utf8)

    let output = try runTool("swift", ["build"], in: folder)
    XCTAssertEqual(output.status, 0, output.text)
    XCTAssertFalse(output.text.contains("waiting"), output.text)
    XCTAssertFalse(output.text.contains("warning"), output.text)
    let program = try runTool("\(folder.path)/.build/debug/Tiny", [], in: folder)
    XCTAssertEqual(program.text, "built by a test\n")

    // This is what was used.
    let caches = try XCTUnwrap(ProcessInfo.processInfo.environment["XDG_CACHE_HOME"])
    XCTAssertTrue(
      FileManager.default.fileExists(atPath: caches + "/org.swift.swiftpm/manifests/manifest.db"))
  }

  func test1() throws { try build() }
  func test2() throws { try build() }
  func test3() throws { try build() }
  func test4() throws { try build() }
  func test5() throws { try build() }
  func test6() throws { try build() }
  func test7() throws { try build() }
  func test8() throws { try build() }
}
