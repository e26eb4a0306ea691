import Glibc
import RunModel
import SwiftTests
import SystemFiles
import TestSupport
import Testing

@testable import RunEngine

/// When a package need not be built to run what failed.
@Suite struct PresentBuildTests {
  private let folder: TemporaryFolder
  private let package: String
  private var product: String { "\(package)/.build/debug/P.xctest" }
  private static let original = ToolchainFacts(["product.P": "sha256:1", "libc": "other"])

  /// Every file is older than the product, which is what makes a build.
  init() throws {
    folder = try TemporaryFolder(name: "gebäut x")
    package = folder.path(of: "package")
    for name in ["Sources/A", "Tests/B", ".build/debug", ".carrel/runs"] {
      try makeFolders("\(package)/\(name)")
    }
    for name in ["Package.swift", "Sources/A/a.swift", "Tests/B/b.swift"] { try write(name) }
    try state("[]")
    try link()
  }

  private func write(_ name: String) throws {
    try writeSmallFile("\(package)/\(name)", Array("x".utf8))
  }

  private func state(_ dependencies: String) throws {
    try write(".build/workspace-state.json", #"{"object": {"dependencies": \#(dependencies)}}"#)
  }

  private func write(_ name: String, _ text: String) throws {
    try writeSmallFile("\(package)/\(name)", Array(text.utf8))
  }

  /// Makes the product, later than anything else that is there: the clock of a file system stands
  /// still between two calls now and then.
  private func link() throws {
    let mark = folder.path(of: "mark")
    try writeSmallFile(mark, [])
    repeat {
      unlink(product)
      try writeSmallFile(product, Array("product".utf8), mode: 0o755)
    } while try changeTime(product) <= changeTime(mark)
  }

  private func changeTime(_ path: String) throws -> Double {
    var status = stat()
    try #require(stat(path, &status) == 0)
    return Double(status.st_ctim.tv_sec) + Double(status.st_ctim.tv_nsec) / 1e9
  }

  private func isUnchanged(
    as original: ToolchainFacts = original, digest: String = "sha256:1"
  ) -> Bool {
    let location = BuildLocation(package: package, scratch: nil, configuration: "debug")
    return PresentBuild(location).isUnchanged(as: original) { products in
      #expect(products.map(\.name) == ["P"])
      return ToolchainFacts(["product.P": digest])
    }
  }

  /// Changes something until the file system's clock shows it.
  private func change(_ path: String, _ body: () throws -> Void) throws {
    let linked = try changeTime(product)
    repeat { try body() } while try changeTime(path) <= linked
  }

  @Test func theSameProductOfTouchedSourcesIsBuilt() throws {
    #expect(isUnchanged())
    try change("\(package)/Sources/A/a.swift") { try write("Sources/A/a.swift") }
    #expect(!isUnchanged())
    try link()
    #expect(isUnchanged())
  }

  @Test func anotherProductIsBuilt() {
    #expect(!isUnchanged(digest: "sha256:2"))
    #expect(!isUnchanged(as: ToolchainFacts(["product.Q": "sha256:1"])))
    #expect(!isUnchanged(as: ToolchainFacts(["libc": "other"])))
    // An app that failed with it is gone.
    #expect(
      !isUnchanged(as: ToolchainFacts(["product.P": "sha256:1", "host.App": "sha256:3"])))
  }

  @Test func newAndRemovedFilesAreSeen() throws {
    try change("\(package)/Tests/B") {
      unlink("\(package)/Tests/B/b.swift")
      try write("Tests/B/b.swift")
      unlink("\(package)/Tests/B/b.swift")
    }
    #expect(!isUnchanged())
  }

  /// Records, builds and settings of editors come and go.
  @Test func hiddenNamesDoNotCount() throws {
    try change("\(package)/.carrel/runs") {
      try makeFolders("\(package)/.carrel/runs/1")
      rmdir("\(package)/.carrel/runs/1")
    }
    try write(".swiftformat")
    #expect(isUnchanged())
  }

  @Test func packagesBesideItAreSeen() throws {
    let other = folder.path(of: "other")
    try makeFolders("\(other)/Sources")
    try writeSmallFile("\(other)/Sources/c.swift", [])
    func dependency(_ state: String, _ path: String) -> String {
      #"[{"state": {"name": "\#(state)", "path": "\#(path)"}}]"#
    }
    try state(dependency("fileSystem", other))
    try link()
    #expect(isUnchanged())
    try change("\(other)/Sources/c.swift") { try writeSmallFile("\(other)/Sources/c.swift", [1]) }
    #expect(!isUnchanged())
    try state(dependency("sourceControlCheckout", ""))
    #expect(isUnchanged())
    for unknown in [dependency("edited", other), dependency("fileSystem", "\(other)/none")] {
      try state(unknown)
      #expect(!isUnchanged())
    }
    try write(".build/workspace-state.json", "no JSON")
    #expect(!isUnchanged())
  }

  @Test func linksAreFollowedToFiles() throws {
    let outside = folder.path(of: "outside.swift")
    try writeSmallFile(outside, [])
    try #require(symlink(outside, "\(package)/Sources/A/link.swift") == 0)
    try link()
    #expect(isUnchanged())
    try change(outside) { try writeSmallFile(outside, [1]) }
    #expect(!isUnchanged())
    unlink("\(package)/Sources/A/link.swift")
    try #require(symlink(folder.path, "\(package)/Sources/A/folder") == 0)
    try link()
    #expect(!isUnchanged())
  }
}
