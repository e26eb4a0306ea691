import Evidence
import Glibc
import RunModel
import SystemFiles
import TestSupport
import Testing

extension RunsProcesses {
  /// What becomes of a container when its batch is over.
  @Suite struct UsedContainerTests {
    /// Nothing but what lies in the container gets into a bundle.
    @Test func linksThatATestPutIntoPlaceAreNotFollowed() async throws {
      let outside = try TemporaryFolder()
      try makeFolders(outside.path(of: "attachments"))
      for name in ["secret", "my-app-1-0.json", "attachments/secret"] {
        try writeSmallFile(outside.path(of: name), Array("secret".utf8))
      }
      let package = try FakePackage([
        "M.A/test1": """
        rm -rf "$HOME" "$TMPDIR" "$CARREL_INDEX" "${TMPDIR%/tmp}/evidence"
        for place in "$HOME" "$TMPDIR" "${TMPDIR%/tmp}/evidence"; do
          ln -s '\(outside.path)' "$place"
        done
        ln -s '\(outside.path)/secret' "$CARREL_INDEX"
        fail changed
        """
      ])
      let outcome = try await SessionOutcome.run(package)
      #expect(outcome.verdicts == [.failed])
      let bundle = try #require(outcome.bundle(outcome.state.tests[0]))
      let entries = try bundle.entries()
      #expect(
        entries.filter { $0.kind == .symlink }.map(\.path.displayName).sorted() == [
          "container/home", "container/tmp", "index.sqlite",
        ])
      #expect(!entries.contains { $0.path.displayName.contains("secret") })
      #expect(!entries.contains { $0.path.displayName.hasPrefix("crash") })
      #expect(
        Set(folderEntries(outside.path) ?? []) == ["secret", "my-app-1-0.json", "attachments"])
    }

    /// A bundle of it can be read like any other.
    @Test func aVeryLongMessageIsShortenedInTheBundle() async throws {
      let package = try FakePackage([
        // Each of the characters takes six bytes in JSON.
        "M.A/test1": #"fail "$(yes '\u0001' | head -n 1500000 | tr -d '\n')""#
      ])
      let outcome = try await SessionOutcome.run(package)
      #expect(outcome.verdicts == [.failed])
      let bundle = try #require(outcome.bundle(outcome.state.tests[0]))
      #expect(try bundle.verify().isWhole)
      let message = try bundle.manifest().issues.first?.message ?? ""
      #expect(message.utf8.count < 2 << 20)
      #expect(message.contains("bytes left out here]"))
      let events = try bundle.read(BundlePaths.events)
      #expect(events.count < 8 << 20)
    }

    /// What a test mounts is nothing that Carrel may empty.
    @Test(.enabled(if: geteuid() == 0, "mounting needs root"))
    func whatCannotBeRemovedIsToldOnce() async throws {
      let package = try FakePackage([
        "M.A/test1": "mount -t tmpfs none \"$TMPDIR\" || fail mount",
        "M.A/test2": "mount -t tmpfs none \"$TMPDIR\" || fail mount; fail two",
      ])
      let mounts = { () -> [String] in
        String(decoding: readSmallFile("/proc/self/mounts") ?? [], as: UTF8.self)
          .split(separator: "\n")
          .map { String($0.split(separator: " ")[1]).replacing("\\040", with: " ") }
          .filter { $0.contains(package.folder.path) }
      }
      let outcome = try await SessionOutcome.run(package)
      let left = mounts()
      for path in left { _ = try await runProcess(["/bin/umount", path]) }
      #expect(mounts() == [])
      #expect(outcome.verdicts == [.passed, .failed])
      #expect(left.count == 2)
      #expect(outcome.state.problems.map(\.code.rawValue) == ["container-left"])
      #expect(outcome.state.problems.map(\.severity) == [.warning])
      let message = outcome.state.problems.first?.message ?? ""
      #expect(message.contains("/tmp' and 1 more: \(errorText(EBUSY))"), "\(message)")
    }
  }
}
