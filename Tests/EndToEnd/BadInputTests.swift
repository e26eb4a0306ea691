import FoundationEssentials
import Glibc
import TestSupport
import Testing

extension EndToEnd {
  /// One clear error with a cause, a documented exit code, nothing half-written.
  @Suite struct BadInputTests {
    @Test(arguments: [
      ["run", "/no/such/package"], ["list", "/no/such/package"], ["run", "--wokers", "2"],
      ["run", "--workers", "none"], ["run", "--workers", "0"], ["run", "--workers", "-1"],
      ["run", "--batch", "0"], ["run", "--batch", "many"], ["run", "--filter", "("],
      ["run", "--filter"], ["run", "--timeout", "soon"], ["run", "--retries", "-1"],
      ["run", "--leaks", "maybe"], ["run", "--bundle-compression", "best"],
      ["run", "one", "two"], ["list", "--format", "yaml"],
      ["run", "--skip-build", "--", "-Xswiftc"], ["list", "--", "--filter"],
      ["bundle"], ["bundle", "juggle", "x"], ["bundle", "show", "a", "bb"],
      ["bundle", "list", "a", "bb"], ["bundle", "extract", "a", "b", "cc"], ["fly"],
      ["help", "runn"], ["run", "--junit", ""],
    ])
    func usage(arguments: [String]) async throws {
      let folder = try TemporaryFolder()
      let output = try await Carrel.invoke(arguments, folder: folder.path)
      #expect(output.status == 2, "\(output.text)\(output.errorText)")
      #expect(!output.errorText.isEmpty)
      if let word = arguments.last, word.utf8.count > 1, arguments.count > 1, word != "two" {
        #expect(output.errorText.contains(word), "\(output.errorText)")
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    }

    @Test func testThatIsNotThere() async throws {
      let run = try await Carrel.run("Outcomes", "--test", "x:y:z")
      #expect(run.output.status == 4, "\(run)")
      #expect(run.output.errorText.contains("'x:y:z'"), "\(run)")
    }

    @Test func helpIsNoError() async throws {
      for (arguments, part) in [
        (["--help"], "repro"), (["run", "--help"], "--workers"), (["list", "--help"], "--format"),
        (["--version"], "carrel "), (["help", "rerun"], "carrel rerun"), (["help"], "repro"),
      ] {
        let output = try await Carrel.invoke(arguments)
        #expect(output.text.hasSuffix("\n") && !output.text.hasSuffix("\n\n"), "\(arguments)")
        #expect(output.status == 0, "\(arguments): \(output.errorText)")
        #expect(output.text.contains(part) && output.stderr.isEmpty, "\(output.allText)")
      }
    }

    @Test func folderWithoutPackage() async throws {
      let folder = try TemporaryFolder()
      let output = try await Carrel.invoke(["run"], folder: folder.path)
      #expect(output.status == 2, "\(output.text)\(output.errorText)")
      #expect(output.errorText.contains("Package.swift"), "\(output.errorText)")
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    }

    /// Who starts Carrel may ignore SIGCHLD and hand that on, and the system then keeps no status.
    @Test func ignoredChildSignal() async throws {
      func run(_ fixture: String, _ options: String...) async throws -> ProcessOutput {
        let package = try await FixturePackage.prepare(fixture, isBuilt: fixture != "BrokenBuild")
        let folder = try TemporaryFolder()
        let command =
          [Carrel.executable, "run", package.path, "--output", folder.path(of: "runs")] + options
        return try await runProcess(
          ["/bin/bash", "-c", #"trap '' CHLD; exec "$@""#, "bash"] + command, timeout: 300)
      }
      let broken = try await run("BrokenBuild")
      #expect(broken.status == 3, "\(broken.allText)")
      let passed = try await run("Outcomes", "--skip-build", "--filter", "BasicXCTests/testPasses")
      #expect(passed.status == 0, "\(passed.allText)")
      let failed = try await run("Outcomes", "--skip-build", "--filter", "BasicXCTests/testFails")
      #expect(failed.status == 1, "\(failed.allText)")
      #expect(failed.text.contains("3 failed)"), "\(failed.allText)")
    }

    @Test func packageThatDoesNotBuild() async throws {
      let package = try await FixturePackage.prepare("BrokenBuild", isBuilt: false)
      let folder = try TemporaryFolder()
      let output = try await Carrel.invoke(
        ["run", package.path, "--output", folder.path(of: "runs")], timeout: 300)
      #expect(output.status == 3, "\(output.text)\(output.errorText)")
      let all = output.text + output.errorText
      #expect(all.contains("BrokenTests.swift:5"), "\(all)")
      #expect(all.contains("cannot convert value"), "\(all)")
    }

    @Test(arguments: ["NoTests", "EmptyTests"])
    func packageWithoutTests(fixture: String) async throws {
      let package = try await FixturePackage.prepare(fixture)
      let folder = try TemporaryFolder()
      let output = try await Carrel.invoke([
        "run", package.path, "--skip-build", "--output", folder.path(of: "runs"),
      ])
      #expect(output.status == 4, "\(output.allText)")
      #expect(output.allText.contains("no test") || output.allText.contains("0 of 0 tests"))
    }

    @Test func packageWithoutTestsIsAllowedOnRequest() async throws {
      let package = try await FixturePackage.prepare("NoTests")
      let folder = try TemporaryFolder()
      let command = ["run", package.path, "--output", folder.path(of: "runs")]
      let refused = try await Carrel.invoke(command, timeout: 300)
      #expect(refused.status == 4, "\(refused.allText)")
      #expect(refused.errorText.contains("--allow-empty"), "\(refused.allText)")
      #expect(!refused.allText.contains("--skip-build"), "\(refused.allText)")
      let allowed = try await Carrel.invoke(command + ["--allow-empty"], timeout: 300)
      #expect(allowed.status == 0, "\(allowed.allText)")
      #expect(allowed.text.contains("has no test target"), "\(allowed.allText)")
      // It has no such option.
      let listed = try await Carrel.invoke(["list", package.path], timeout: 300)
      #expect(listed.status == 4, "\(listed.allText)")
      #expect(listed.errorText.hasSuffix("carrel: the package has no tests\n"))
    }

    @Test func packageThatIsNotBuilt() async throws {
      let folder = try TemporaryFolder()
      let package = try FixturePackage.copy("TwoSuites", to: folder.path)
      let output = try await Carrel.invoke(["run", package.path, "--skip-build"])
      #expect(output.status == 4, "\(output.allText)")
      #expect(output.allText.contains("--skip-build"), "\(output.allText)")
    }

    /// Built by the command itself, with other flags, in another place.
    @Test func buildsByItself() async throws {
      let folder = try TemporaryFolder(name: "with space")
      let package = try FixturePackage.copy("LinuxMain", to: folder.path)
      let output = try await Carrel.invoke(
        [
          "run", package.path, "--scratch-path", folder.path(of: "scratch"), "--filter", "plain",
          "--", "-Xswiftc", "-DUNUSED",
        ], timeout: 300)
      #expect(output.status == 0, "\(output.text)\(output.errorText)")
      #expect(isFolder(folder.path(of: "scratch")))
      #expect(!isFolder("\(package.path)/.build"))
    }

    @Test(arguments: ["missing", "folder", "empty", "text", "zip", "tar"])
    func badBundle(kind: String) async throws {
      let folder = try TemporaryFolder()
      let path = folder.path(of: "bad.tar.zst")
      switch kind {
      case "folder":
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      case "empty": try Data().write(to: URL(filePath: path))
      case "text": try Data("this is no archive\n".utf8).write(to: URL(filePath: path))
      case "zip": try Data("PK\u{3}\u{4}rest".utf8).write(to: URL(filePath: path))
      case "tar": try await makeArchive(path, in: folder)
      default: break
      }
      let reasons = [
        "folder": "it is a folder", "empty": "it is empty", "text": "it is text",
        "zip": "it is a zip archive", "tar": "its first entry is not manifest.json",
      ]
      for arguments in [
        ["bundle", "show", path], ["bundle", "list", path], ["bundle", "verify", path],
        ["bundle", "extract", path, folder.path(of: "out")], ["repro", path, folder.path],
      ] {
        let output = try await Carrel.invoke(arguments)
        let status: Int32 = kind == "missing" ? 2 : 8
        #expect(output.status == status, "\(arguments): \(output.allText)")
        #expect(output.errorText.contains("bad.tar.zst"), "\(output.errorText)")
        if let reason = reasons[kind] {
          let sentence = "carrel: '\(path)' is not a failure bundle (\(reason))\n"
          #expect(output.errorText == sentence, "\(arguments)")
        }
        #expect(output.text.isEmpty)
      }
      #expect(!FileManager.default.fileExists(atPath: folder.path(of: "out")))
    }

    /// An archive that is whole, but no bundle.
    private func makeArchive(_ path: String, in folder: TemporaryFolder) async throws {
      try Data("x".utf8).write(to: URL(filePath: folder.path(of: "file")))
      let tar = try await runProcess(["tar", "-C", folder.path, "-cf", path, "file"])
      try #require(tar.status == 0)
    }

    /// What lies where containers are made does not last.
    @Test func recordsAmongContainers() async throws {
      let folder = try TemporaryFolder()
      let package = try FixturePackage.copy("TwoSuites", to: folder.path)
      let runs = folder.path(of: "work/carrel-\(getuid())/runs")
      for command in ["run", "rerun"] {
        let output = try await Carrel.invoke(
          [command] + (command == "run" ? [] : ["latest"])
            + [package.path, "--skip-build", "--output", runs],
          environment: ["CARREL_WORK_DIR": folder.path(of: "work")])
        #expect(output.status == 2, "\(output.allText)")
        if command == "run" {
          #expect(output.errorText.contains("'\(runs)'"), "\(output.errorText)")
          #expect(output.errorText.contains("choose a folder outside"), "\(output.errorText)")
        }
      }
      #expect(!FileManager.default.fileExists(atPath: folder.path(of: "work")))
    }

    @Test func workFolderThatCannotBeMade() async throws {
      let folder = try TemporaryFolder()
      let package = try FixturePackage.copy("TwoSuites", to: folder.path)
      let output = try await Carrel.invoke(
        ["run", package.path, "--skip-build"], environment: ["CARREL_WORK_DIR": "/proc/none"])
      #expect(output.status == 6, "\(output.allText)")
      for part in ["'/proc/none'", "No such file or directory", "set CARREL_WORK_DIR"] {
        #expect(output.errorText.contains(part), "\(output.errorText)")
      }
      #expect(!FileManager.default.fileExists(atPath: "\(package.path)/.carrel"))
    }

    @Test(.enabled(if: geteuid() == 0, "mounting takes root"))
    func workFolderThatIsFull() async throws {
      let folder = try TemporaryFolder()
      let package = try FixturePackage.copy("TwoSuites", to: folder.path)
      let disk = folder.path(of: "disk")
      try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: false)
      try #require(mount("none", disk, "tmpfs", 0, "size=8k") == 0)
      defer { umount(disk) }
      let output = try await Carrel.invoke(
        ["run", package.path, "--skip-build"], environment: ["CARREL_WORK_DIR": disk])
      #expect(output.status == 6, "\(output.allText)")
      for part in ["'\(disk)/carrel-", "full", "set CARREL_WORK_DIR"] {
        #expect(output.errorText.contains(part), "\(output.errorText)")
      }
      #expect(!FileManager.default.fileExists(atPath: "\(package.path)/.carrel"))
    }

    @Test func folderThatCannotBeMade() async throws {
      let folder = try TemporaryFolder()
      let package = try FixturePackage.copy("TwoSuites", to: folder.path)
      try Data().write(to: URL(filePath: "\(package.path)/.carrel"))
      let output = try await Carrel.invoke(["run", package.path])
      #expect(output.status == 7, "\(output.allText)")
      for part in ["'\(package.path)/.carrel/runs'", "--output PATH", "--scratch-path PATH"] {
        #expect(output.errorText.contains(part), "\(output.errorText)")
      }
    }

    /// What the compiler says is shown once, while it builds, and the reason comes before the
    /// summary.
    @Test func failedBuildIsToldOnce() async throws {
      let first = try await Carrel.run("LinuxMain", "--batch", "1", "--filter", "/a$")
      let bundle = try first.bundle(try first.test("FreeTextCase/a"))
      let package = try await FixturePackage.prepare("BrokenBuild", isBuilt: false)
      let output = try TemporaryFolder()
      for (command, end) in [(["repro", bundle], "  record: "), (["run"], "NOT BUILT: ")] {
        // Both streams in one, in the order in which they are written.
        let words =
          [Carrel.executable] + command + [package.path, "--output", output.path(of: "runs")]
        let shown = try await runProcess(
          ["/bin/sh", "-c", #"exec "$@" 2>&1"#, "sh"] + words, timeout: 300)
        #expect(shown.status == 3, "\(shown.text)")
        let reason = "carrel: the package's tests do not build"
        #expect(shown.text.components(of: reason) == 2, "\(shown.text)")
        #expect(shown.text.components(of: "the package's tests do not build") == 2)
        let parts = shown.text.split(separator: reason, maxSplits: 1)
        #expect(parts.last?.contains(end) == true, "\(shown.text)")
        #expect(parts.last?.contains("BrokenTests.swift:5") == false, "\(shown.text)")
      }
    }

    @Test func reproWithoutTheTest() async throws {
      let run = try await Carrel.run("LinuxMain", "--batch", "1", "--filter", "/a$")
      let bundle = try run.bundle(try run.test("FreeTextCase/a"))
      let other = try await FixturePackage.prepare("TwoSuites")
      let output = try await Carrel.invoke(["repro", bundle, other.path])
      #expect(output.status == 12, "\(output.text)\(output.errorText)")
      #expect(output.allText.contains("FreeTextCase/a"), "\(output.allText)")
      #expect(output.allText.components(of: "no test has the ID or name") == 2)
      #expect(!output.allText.contains("did you mean"), "\(output.allText)")
    }
  }
}

extension String {
  /// Number of parts that a text divides this one into.
  fileprivate func components(of text: String) -> Int {
    split(separator: text, omittingEmptySubsequences: false).count
  }
}
