import RunModel
import Testing

@Suite struct ToolchainFactsTests {
  private static let wanted = ToolchainFacts([
    "compiler.version": "6.3.1", "compiler.build": "swift-6.3.1-RELEASE",
    "compiler.digest": "sha256:aa", "target": "x86_64-unknown-linux-gnu", "libc": "glibc 2.36",
    "runtime.libA.so": "sha256:a", "runtime.libB.so": "sha256:b", "product.P": "sha256:p",
    "kernel.minimum": "5.12", "library.libarchive": "3.6.2", "future.fact": "x",
  ])

  /// Another compiler explains another library, which explains another digest.
  @Test func theMostTellingComesFirst() {
    let found = ToolchainFacts([
      "compiler.version": "6.2", "target": "x86_64-unknown-linux-gnu", "libc": "glibc 2.41",
      "compiler.digest": "sha256:bb", "runtime.libB.so": "sha256:c", "kernel.release": "5.4.0-1",
      "product.P": "sha256:q", "library.libarchive": "3.8", "another.fact": "y",
    ])
    #expect(
      found.differences(from: Self.wanted).map(\.fact) == [
        "compiler.version", "compiler.build", "libc", "kernel.minimum", "library.libarchive",
        "compiler.digest", "runtime.libA.so", "runtime.libB.so", "product.P",
      ])
    let missing = found.differences(from: Self.wanted).first { $0.fact == "runtime.libA.so" }
    #expect(missing?.found == nil && missing?.wanted == "sha256:a")
    #expect(Self.wanted.unknownNames == ["future.fact"])
  }

  @Test func sameFactsHaveNoDifferences() {
    var found = Self.wanted
    found.values["kernel.minimum"] = nil
    found[.kernelRelease] = "6.18.44-x"
    found[.host, "App"] = "sha256:h"
    #expect(found.differences(from: Self.wanted) == [])
    #expect(Self.wanted.differences(from: Self.wanted) == [])
    #expect(found.differences(from: ToolchainFacts()) == [])
  }

  @Test(arguments: [
    ("5.12", true), ("5.12.0-1", true), ("5.9", false), ("6", true), ("4.20", false),
  ])
  func kernelsAreComparedByNumbers(release: String, isEnough: Bool) {
    let found = ToolchainFacts(["kernel.release": release])
    let differences = found.differences(from: ToolchainFacts(["kernel.minimum": "5.12"]))
    #expect(differences.isEmpty == isEnough)
    #expect(isEnough || differences.first?.found == release)
  }

  @Test(
    arguments: [
      ("compiler.version", "6.3.1", "6.3.2", ToolchainDifferenceWeight.warning),
      ("compiler.version", "6.3.1", "6.2.1", .error), ("compiler.version", "6.3.1", nil, .error),
      ("compiler.version", "6.3.1", "6.3-dev", .error), ("target", "a", "b", .error),
      ("libc", "glibc 2.36", "musl 1", .warning), ("library.libarchive", "1", "2", .ignored),
      ("runtime.libA.so", "a", nil, .warning), ("product.P", "a", "b", .error),
      ("kernel.release", "6.1", "6.2", .ignored), ("future.fact", "a", "b", .ignored),
    ] as [(String, String, String?, ToolchainDifferenceWeight)])
  func compatibleTellsWhatChangesResults(
    fact: String, wanted: String, found: String?, weight: ToolchainDifferenceWeight
  ) {
    let difference = ToolchainDifference(fact: fact, wanted: wanted, found: found)
    #expect(difference.weight(.compatible) == weight)
    #expect(difference.weight(.off) == .ignored)
    let isCounted = difference.kind != nil && difference.kind != .kernelRelease
    #expect(difference.weight(.exact) == (isCounted ? .error : .ignored))
  }

  @Test func digestsAreShownByTheirBeginning() {
    let digest = "sha256:" + String(repeating: "ab", count: 32)
    let difference = ToolchainDifference(fact: "compiler.digest", wanted: digest, found: nil)
    #expect(
      difference.description
        == "compiler.digest: sha256:abababababab… is wanted, nothing was found")
  }

  @Test func familiesNeedAName() {
    #expect(ToolchainFactKind(of: "runtime.libA.so") == .runtimeLibrary)
    #expect(ToolchainFactKind(of: "runtime.") == nil && ToolchainFactKind(of: "sandbox.x") == nil)
    #expect(ToolchainFactKind.libraryName(of: "runtime.libA.so") == "libA.so")
    #expect(ToolchainFactKind.libraryName(of: "libc") == nil)
  }
}
