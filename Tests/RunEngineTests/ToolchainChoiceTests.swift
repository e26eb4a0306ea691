import Evidence
import FoundationEssentials
import Glibc
import RunModel
import SwiftTests
import SystemFiles
import TestSupport
import Testing

@testable import RunEngine

extension RunsProcesses {
  /// Choosing among toolchains that are shell scripts.
  @Suite struct ToolchainChoiceTests {
    private let folder: TemporaryFolder
    private let package: String

    init() throws {
      folder = try TemporaryFolder(name: "wähl x")
      package = folder.path(of: "repository/package")
      try makeFolders(package)
    }

    /// - Parameter version: What `swift --version` says; `nil` for an error on standard output.
    @discardableResult
    private func makeToolchain(_ name: String, _ version: String?) throws -> String {
      let bin = folder.path(of: "\(name)/usr/bin")
      try makeFolders(bin)
      let says =
        version.map { "echo 'Swift version \($0)'; echo 'Target: t'" }
        ?? "echo 'toolchain is not installed'; exit 1"
      for (program, script) in [("swift", says), ("swiftc", "exit 1"), ("clang", "exit 1")] {
        try writeSmallFile(
          "\(bin)/\(program)", Array("#!/bin/sh\n\(script)\n".utf8), mode: 0o755)
      }
      return bin
    }

    private func write(_ path: String, _ text: String) throws {
      try writeSmallFile(folder.path(of: path), Array(text.utf8))
    }

    private func pin(_ facts: [String: String]) throws {
      let manifest = ToolchainManifest(facts: ToolchainFacts(facts))
      try writeSmallFile("\(package)/\(ToolchainManifest.name)", try manifest.bytes)
    }

    /// Chooses, where only the given folders are on the path.
    private func choose(
      _ path: [String], _ request: ToolchainRequest = ToolchainRequest()
    ) async throws -> (bin: String, reason: String) {
      let (package, cache) = (package, folder.path(of: "cache"))
      let environment = [
        "PATH": path.joined(separator: ":"), "HOME": folder.path(of: "home"),
      ]
      return try await onOwnThread {
        let supervisor = try Supervisor(ownsAllChildren: false)
        let choice = try ToolchainChoice.choose(
          request, package: package, environment: environment,
          probe: ToolchainProbe(supervisor: supervisor, cache: cache, environment: environment))
        return (choice.toolchain.binFolder, choice.reason)
      }
    }

    private func refusal(
      _ path: [String], _ request: ToolchainRequest = ToolchainRequest()
    ) async -> SwiftTestsError? {
      do {
        _ = try await choose(path, request)
        return nil
      } catch {
        return error as? SwiftTestsError
      }
    }

    @Test func whatIsGivenComesFirst() async throws {
      let old = try makeToolchain("old", "97.1 (swift-97.1-RELEASE)")
      let new = try makeToolchain("new", "98.1 (swift-98.1-RELEASE)")
      let newest = try makeToolchain("newest", "99.1 (swift-99.1-RELEASE)")
      #expect(try await choose([old, new]).bin == old)
      try write("repository/package/.swift-version", "98\n")
      let file = try await choose([old, new, newest])
      #expect(file.bin == new && file.reason.contains("repository/package/.swift-version wants 98"))
      try pin(["compiler.version": "99.1"])
      let manifest = try await choose([old, new, newest])
      #expect(manifest.bin == newest && manifest.reason.contains("wants Swift 99.1"))
      #expect(
        try await choose([old, new, newest], ToolchainRequest(policy: .off)).bin == new)
      let given = ToolchainRequest(path: folder.path(of: "old"), policy: .exact)
      #expect(try await choose([new], given).bin == old)
    }

    @Test func versionFilesAreLookedForUpToTheRepository() async throws {
      let old = try makeToolchain("old", "97.1 (swift-97.1-RELEASE)")
      let new = try makeToolchain("new", "98.1 (swift-98.1-RELEASE)")
      try write(".swift-version", "98")
      try write("repository/.swift-version", "97.1")
      #expect(try await choose([new, old]).bin == old)
      unlink(folder.path(of: "repository/.swift-version"))
      #expect(try await choose([old, new]).bin == new)
      // What lies above a repository is none of its business.
      try makeFolders(folder.path(of: "repository/.git"))
      #expect(try await choose([old, new]).bin == old)
    }

    @Test func theNewestOfAPrefixIsTaken() async throws {
      let bins = try ["97.1.1", "97.1.10", "97.1.9", "97.2-dev", "98"].map {
        try makeToolchain($0, "\($0) (swift-\($0)-RELEASE)")
      }
      try write("repository/package/.swift-version", "97.1\r\n# newest\r\n")
      #expect(try await choose(bins).bin == bins[1])
      try write("repository/package/.swift-version", "97")
      #expect(try await choose(bins).bin == bins[1])
      try write("repository/package/.swift-version", "98.0.0")
      #expect(try await choose(bins).bin == bins[4])
    }

    @Test func whatIsMissingIsNamedWithWhatIsThere() async throws {
      let old = try makeToolchain("old", "97.1 (swift-97.1-RELEASE)")
      let broken = try makeToolchain("broken", nil)
      try write("repository/package/.swift-version", "99.9.9\n")
      let error = try #require(await refusal([old, broken]))
      #expect(error.code == .toolchainNotInstalled)
      for part in [
        "\(package)/.swift-version wants 99.9.9", "97.1 in \(old)",
        "one that does not tell its version in \(broken)",
        "'\(broken)/swift --version' ended with exit status 1: toolchain is not installed",
      ] {
        #expect(error.message.contains(part), "\(error.message)")
      }
      try pin(["compiler.version": "99.9", "compiler.build": "swift-99.9-RELEASE"])
      let other = try #require(await refusal([old]))
      #expect(other.message.contains("\(ToolchainManifest.name) wants Swift 99.9 (swift-99.9-R"))
    }

    /// Another patch is near enough for `compatible`, and never for `exact`.
    @Test func policiesSayWhatIsNear() async throws {
      let bins = try ["97.1.1", "97.1.3", "97.2"].map {
        try makeToolchain($0, "\($0) (swift-\($0)-RELEASE)")
      }
      try pin(["compiler.version": "97.1.2"])
      let near = try await choose(bins)
      #expect(near.bin == bins[1] && near.reason.hasSuffix("and this is the nearest"))
      #expect(
        await refusal(bins, ToolchainRequest(policy: .exact))?.code == .toolchainNotInstalled)
      #expect(await refusal([bins[2]])?.code == .toolchainNotInstalled)
    }

    @Test func ofOneVersionTheVeryBuildIsTaken() async throws {
      let other = try makeToolchain("other", "97.1 (other-build)")
      let same = try makeToolchain("same", "97.1 (swift-97.1-RELEASE)")
      try pin(["compiler.version": "97.1", "compiler.build": "swift-97.1-RELEASE"])
      #expect(try await choose([other, same]).bin == same)
    }

    /// An answer is kept until a program changes.
    @Test func answersAreRemembered() async throws {
      let bin = try makeToolchain("t", "97.1 (swift-97.1-RELEASE)")
      let log = folder.path(of: "log")
      func answer(_ version: String) throws {
        try writeSmallFile(
          "\(bin)/swift",
          Array("#!/bin/sh\necho x >>'\(log)'\necho 'Swift version \(version)'\n".utf8),
          mode: 0o755)
      }
      try answer("97.1")
      try write("repository/package/.swift-version", "97.1")
      for _ in 1...3 { #expect(try await choose([bin]).bin == bin) }
      #expect(readSmallFile(log)?.count == 2)
      try answer("97.1.22")
      #expect(await refusal([bin])?.code == nil)
      #expect(readSmallFile(log)?.count == 4)
    }

    @Test func brokenManifestsAreErrors() async throws {
      let bin = try makeToolchain("t", "97.1")
      try write("repository/package/\(ToolchainManifest.name)", "{")
      await #expect(throws: EvidenceError.self) { try await choose([bin]) }
      // Nobody reads it then.
      #expect(try await choose([bin], ToolchainRequest(policy: .off)).bin == bin)
    }
  }
}
