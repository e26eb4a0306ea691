import FoundationEssentials
import Glibc
import RunModel
import TestSupport
import Testing

extension EndToEnd {
  /// Tests that are packed in one place and run in another.
  @Suite struct ArchiveTests {
    /// A folder with an archive in it, and with runs of it.
    fileprivate struct Place {
      let folder: TemporaryFolder
      let archive: String

      init(_ folder: TemporaryFolder, archive: String = "päck 1.tar.zst") {
        self.folder = folder
        self.archive = folder.path(of: archive)
      }

      /// Packs a fixture that is built.
      static func pack(_ fixture: String, _ options: String...) async throws -> Place {
        let place = Place(try TemporaryFolder(name: "änder é"))
        let package = try await FixturePackage.prepare(fixture)
        let output = try await Carrel.invoke(
          ["archive", package.path, "--skip-build", "--output", place.archive] + options)
        try #require(output.status == 0, "\(output.allText)")
        return place
      }

      /// Runs a command on the archive, in the folder.
      func invoke(
        _ words: [String], environment: [String: String] = [:], as user: uid_t? = nil
      ) async throws -> CarrelRun {
        let command = [words[0]] + words.dropFirst() + ["--archive", archive]
        let switching = user.map {
          ["/usr/bin/setpriv", "--reuid=\($0)", "--regid=\($0)", "--clear-groups"]
        }
        let output = try await runProcess(
          (switching ?? []) + [Carrel.executable] + command,
          environment: Carrel.variables(adding: environment), folder: folder.path)
        return CarrelRun(
          package: FixturePackage(name: "archive", path: folder.path), output: output,
          folder: folder)
      }

      /// Runs the archive, with the record in the folder's `runs`.
      func run(
        _ options: String..., environment: [String: String] = [:], as user: uid_t? = nil
      ) async throws -> CarrelRun {
        try await invoke(
          ["run", "--output", folder.path(of: "runs")] + options, environment: environment,
          as: user)
      }
    }

    /// Variables without any folder that has a program of a toolchain.
    private static let withoutToolchain = ["PATH": "/usr/bin:/bin"]

    /// Built where nothing is any more; with and without a sandbox, as this user and another one.
    @Test func testsRunWithoutSourcesAndCompiler() async throws {
      let source = try TemporaryFolder(name: "quelle é")
      let place = Place(try TemporaryFolder(name: "änder é " + String(repeating: "l", count: 120)))
      let package = try FixturePackage.copy("Packed", to: source.path)
      let packed = try await Carrel.invoke(
        ["archive", package.path, "--output", place.archive, "--include", "Data"], timeout: 600)
      try #require(packed.status == 0, "\(packed.allText)")
      #expect(packed.text.hasPrefix("packed 9 tests: "))
      try FileManager.default.removeItem(atPath: package.path)

      let nobody: uid_t? = geteuid() == 0 ? 65534 : nil
      let top = place.folder.path.split(separator: "/").dropLast().joined(separator: "/")
      if let nobody {
        for path in ["/" + top, place.folder.path] { #expect(chown(path, nobody, nobody) == 0) }
      }
      for (number, level) in ["sandbox", "processes", "sandbox", "processes"].enumerated() {
        let own = try TemporaryFolder(in: number < 2 ? nil : place.folder.path)
        if let nobody, number > 1 { #expect(chown(own.path, nobody, nobody) == 0) }
        let place = Place(own, archive: place.archive, isAbsolute: true)
        let run = try await place.run(
          "--isolation", level, "--workers", "2",
          environment: Self.withoutToolchain.merging([
            "HOME": own.path(of: "home"), "XDG_CACHE_HOME": own.path(of: "cache"),
            "CARREL_WORK_DIR": own.path(of: "work"),
          ]) { $1 }, as: number > 1 ? nobody : nil)
        #expect(run.output.status == 1, "\(run)")
        let state = try run.state
        let others = state.tests.filter { $0.result.verdict != .passed }
        #expect(others.map(\.id.name) == ["PackedTests.PackedXCTests/testFails"], "\(run)")
        #expect(state.tests.count == 9 && state.header?.isolation == level)
        let header = try #require(state.header)
        #expect(header.packagePath == package.path && header.archive?.path == place.archive)
        #expect(header.archive?.digest.hasPrefix("sha256:") == true)
        #expect(run.output.text.contains("Tests/PackedTests/PackedXCTests.swift:"))
        // What was unpacked is gone.
        let left = try FileManager.default.subpathsOfDirectory(atPath: own.path(of: "work"))
        #expect(left.filter { $0.hasSuffix(".xctest") } == [], "\(left)")
        // In a sandbox the package is seen where it was.
        let log = String(
          decoding: try run.log(run.test("testFileByRelativePath").decisive?.stdout),
          as: UTF8.self)
        #expect(log.contains("in \(package.path)\n") == (level == "sandbox"), "\(log)")
      }
    }

    @Test func appsAndTheirSuitesRunFromAnArchive() async throws {
      let place = try await Place.pack("Intents")
      let run = try await place.run(
        "--workers", "2", "--filter", "NoteTests|PlainTests", environment: Self.withoutToolchain)
      #expect(run.output.status == 0, "\(run)")
      let tests = try run.state.tests
      #expect(tests.count > 10 && tests.allSatisfy { $0.result.verdict == .passed }, "\(run)")
      #expect(tests.contains { $0.descriptor.usesIntents })
      let journal = try readFile("\(run.record)/journal.jsonl")
      #expect(contains(journal, "com.example.TestApp"))
    }

    @Test func theListIsThatOfThePackage() async throws {
      let package = try await FixturePackage.prepare("Packed")
      let place = try await Place.pack("Packed")
      for options in [[], ["--format", "json"], ["--filter", "PackedTests\\."]] {
        let packed = try await place.invoke(
          ["list"] + options, environment: Self.withoutToolchain)
        let built = try await Carrel.invoke(["list", package.path, "--skip-build"] + options)
        #expect(packed.output.status == 0 && built.status == 0, "\(packed)")
        #expect(packed.output.text == built.text && !built.text.isEmpty)
      }
      let none = try await place.run("--filter", "nothing")
      #expect(none.output.status == 4, "\(none)")
    }

    @Test func theSameBuildHasTheSameBytes() async throws {
      let package = try await FixturePackage.prepare("Packed")
      let first = try await Place.pack("Packed", "--include", "Data", "--with-runtime")
      let times = [timespec(tv_sec: 9, tv_nsec: 9), timespec(tv_sec: 9, tv_nsec: 9)]
      #expect(utimensat(AT_FDCWD, package.path + "/Data/table.txt", times, 0) == 0)
      let second = try await Place.pack("Packed", "--include", "Data", "--with-runtime")
      #expect(try readFile(first.archive) == readFile(second.archive))
      let verified = try await Carrel.invoke(["archive", "verify", first.archive, second.archive])
      #expect(verified.status == 0, "\(verified.allText)")
      let lines = verified.text.split(separator: "\n")
      #expect(lines.count == 2)
      #expect(lines.allSatisfy { $0.contains("whole: 9 tests, ") })
    }

    // MARK: Reproductions

    @Test func aFailureIsReproducedFromBundleAndArchive() async throws {
      let place = try await Place.pack("Packed", "--include", "Data")
      let run = try await place.run("--filter", "testFails", environment: Self.withoutToolchain)
      #expect(run.output.status == 1, "\(run)")
      let bundle = try #require(try run.bundles.first)
      #expect(run.output.text.contains(" --archive 'päck 1.tar.zst'\n"), "\(run)")
      let desk = Place(try TemporaryFolder(name: "desk"))
      try FileManager.default.copyItem(atPath: bundle, toPath: desk.folder.path(of: "b.tar.zst"))
      try FileManager.default.copyItem(atPath: place.archive, toPath: desk.archive)
      let repro = try await desk.invoke(
        ["repro", "b.tar.zst"], environment: Self.withoutToolchain)
      #expect(repro.output.status == 0, "\(repro)")
      // The archive has what failed.
      #expect(!repro.output.text.contains("product."), "\(repro)")
      #expect(repro.output.text.contains("REPRODUCED: PackedTests.PackedXCTests/testFails"))
      // The record is in the folder, and kept out of its repository.
      let record = try recordFolder(in: desk.folder.path(of: ".carrel/runs"))
      #expect(try RunState(readEvents("\(record)/events.jsonl")).header?.archive != nil)
      #expect(try readFile(desk.folder.path(of: ".carrel/.gitignore")) == Array("*\n".utf8))

      // What failed is run again from the archive that the record names, without being told.
      let again = try await Carrel.invoke(
        ["rerun", "--output", place.folder.path(of: "runs")],
        environment: Self.withoutToolchain, folder: desk.folder.path)
      #expect(again.status == 1 && again.text.contains("running 1 of 9 tests"), "\(again.allText)")

      let other = try await Place.pack("TwoSuites")
      let wrong = try await other.invoke(["repro", bundle])
      #expect(wrong.output.status == 12, "\(wrong)")

      // Another one is not taken for it.
      try Data(readFile(other.archive)).write(to: URL(filePath: place.archive))
      let replaced = try await Carrel.invoke(
        ["rerun", "--output", place.folder.path(of: "runs")],
        environment: Self.withoutToolchain, folder: desk.folder.path)
      #expect(
        replaced.status == 6 && replaced.allText.contains("is not the one of run"),
        "\(replaced.allText)")
    }

    /// A run that was killed goes on from its archive, although what was unpacked is new.
    @Test func anInterruptedRunIsResumedFromTheArchive() async throws {
      let place = try await Place.pack("Packed", "--include", "Data")
      let run = try await place.run("--max-failures", "1", "--workers", "1", "--batch", "1")
      #expect(run.output.status == 1, "\(run)")
      let path = "\(try run.record)/events.jsonl"
      // As a run that was killed leaves it.
      let lines = try readFile(path).split(separator: UInt8(ascii: "\n"))
      let kept = lines.filter { !contains(Array($0), "runFinished") }
      try Data(kept.joined(separator: [10]) + [10]).write(to: URL(filePath: path))
      let resumed = try await Carrel.invoke(
        ["resume", "--output", place.folder.path(of: "runs")], folder: place.folder.path)
      #expect(resumed.status == 1, "\(resumed.allText)")
      #expect(resumed.text.contains("of 9 tests have a result"), "\(resumed.allText)")
    }

    // MARK: Damage

    @Test func damagedArchivesAreRefused() async throws {
      let place = try await Place.pack("Packed", "--include", "Data", "--compression", "none")
      let whole = try readFile(place.archive)
      let text = Array("included\n".utf8)
      let start = try #require(
        whole.indices.first { whole[$0] == text[0] && whole[$0...].starts(with: text) })
      var changed = whole
      changed[start] ^= 1
      let cut = Array(whole.prefix(whole.count / 2))
      for (bytes, reason) in [
        (changed, "package/Data/table.txt: has other bytes than the list of contents says"),
        (cut, "the file ends before its archive does"),
        (Array("no archive\n".utf8), "is not a run archive (it is text)"),
        (Array(whole.prefix(3)), "is not whole"),
      ] {
        try Data(bytes).write(to: URL(filePath: place.archive))
        for words in [["run"], ["list"], ["archive", "verify", place.archive]] {
          let result =
            words[0] == "archive"
            ? try await Carrel.invoke(words, folder: place.folder.path)
            : try await place.invoke(words).output
          #expect(result.status == 8, "\(words): \(result.allText)")
          if bytes.count > 3 {
            #expect(result.errorText.contains(reason), "\(words): \(result.allText)")
          }
        }
      }
      // Nothing ran, and nothing says so.
      #expect(!isFolder(place.folder.path(of: ".carrel")))
    }

    @Test func whatIsNotThereIsNamed() async throws {
      let package = try await FixturePackage.prepare("Packed")
      let folder = try TemporaryFolder()
      for (options, reason) in [
        (["--include", "Gone"], "Gone' is to be packed and is not there"),
        (["--include", "/etc/passwd"], "it does not lie in the package"),
      ] {
        let output = try await Carrel.invoke(
          ["archive", package.path, "--skip-build", "--output", folder.path(of: "a.tar")]
            + options)
        #expect(output.status == 7 && output.errorText.contains(reason), "\(output.allText)")
        #expect(!FileManager.default.fileExists(atPath: folder.path(of: "a.tar")))
      }
    }

    // MARK: The libraries of the toolchain

    /// Machines with the libraries elsewhere, with none, and with an archive that has them.
    @Test(.enabled(if: geteuid() == 0, "only root can hide a folder"))
    func librariesAreFoundOrNamed() async throws {
      let plain = try await Place.pack("Packed", "--include", "Data")
      let own = try await Place.pack("Packed", "--include", "Data", "--with-runtime")
      let programs = try FakeToolchain.realPrograms
      let libraries = programs.replacing("/bin", with: "/lib/swift/linux")
      let loader = "/lib64/ld-linux-x86-64.so.2"
      try #require(FileManager.default.fileExists(atPath: "\(libraries)/libswiftCore.so"))
      func run(_ place: Place, _ prefix: [String]) async throws -> CarrelRun {
        let (copy, empty) = (place.folder.path(of: "copy"), place.folder.path(of: "empty"))
        for path in [copy, empty] {
          try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true)
        }
        let script =
          "mount --bind \"$1\" \"$2\" && mount --bind \"$3\" \"$1\" && shift 3 && exec \"$@\""
        let output = try await runProcess(
          ["/usr/bin/unshare", "--mount", "/bin/sh", "-c", script, "sh", libraries, copy, empty]
            + prefix.map { $0.replacing("COPY", with: copy) } + [
              Carrel.executable, "run", "--archive", place.archive, "--output",
              place.folder.path(of: "runs"), "--isolation", "processes", "--filter",
              "testResource|findsItsResource",
            ],
          environment: Carrel.variables(
            adding: Self.withoutToolchain.merging(["HOME": place.folder.path]) { $1 }))
        return CarrelRun(
          package: FixturePackage(name: "archive", path: place.folder.path), output: output,
          folder: place.folder)
      }
      // The loader has them for Carrel alone.
      let none = try await run(plain, [loader, "--library-path", "COPY"])
      #expect(none.output.status == 5, "\(none)")
      let problem = try #require(try none.state.problems.first { $0.severity == .error })
      #expect(problem.code == .loaderFailed)
      #expect(
        problem.message.contains("libXCTest.so") && problem.message.contains("--with-runtime"))
      try FileManager.default.removeItem(atPath: plain.folder.path(of: "runs"))
      let elsewhere = try await run(plain, ["/usr/bin/env", "LD_LIBRARY_PATH=COPY"])
      #expect(elsewhere.output.status == 0, "\(elsewhere)")
      #expect(try elsewhere.state.tests.count == 2)
      let packed = try await run(own, [loader, "--library-path", "COPY"])
      #expect(packed.output.status == 0, "\(packed)")
      #expect(try packed.state.header?.toolchainDetails?.reason == "the run archive has it")
    }

    /// What an archive was built with is held against the machine, by the policy.
    @Test func anotherRuntimeIsTold() async throws {
      let place = try await Place.pack("Packed", "--include", "Data")
      let folder = try TemporaryFolder()
      let fake = try FakeToolchain(at: folder.path(of: "swift"), version: "9.9.9")
      let libraries = folder.path(of: "swift/usr/lib/swift/linux")
      try FileManager.default.createDirectory(
        atPath: libraries, withIntermediateDirectories: true)
      // The same but for one.
      let real = try FakeToolchain.realPrograms.replacing("/bin", with: "/lib/swift/linux")
      for name in try FileManager.default.contentsOfDirectory(atPath: real)
      where name.hasSuffix(".so") {
        symlink("\(real)/\(name)", "\(libraries)/\(name)")
      }
      let changed = "\(libraries)/libXCTest.so"
      unlink(changed)
      try Data(readFile("\(real)/libXCTest.so") + [0]).write(to: URL(filePath: changed))
      for name in ["swift", "swiftc"] {
        try writeScript(
          "\(fake.programs)/\(name)",
          """
          case "$1" in
            --version) echo 'Swift version 9.9.9'; exit 0 ;;
            -print-target-info) echo '{"target": {"triple": "x"}, "paths": {"runtimeLibraryPaths": \
          ["\(libraries)"]}}'; exit 0 ;;
          esac
          exit 1
          """)
      }
      let words = ["--toolchain", fake.path, "--filter", "testLibrary"]
      for (policy, status) in [("compatible", 0), ("exact", 6), ("off", 0)] as [(String, Int32)] {
        let place = Place(
          try TemporaryFolder(), archive: place.archive, isAbsolute: true)
        let run = try await place.invoke(
          ["run", "--output", place.folder.path(of: "runs"), "--toolchain-policy", policy] + words)
        #expect(run.output.status == status, "\(policy): \(run)")
        let problems = try run.state.problems.filter { $0.code == .toolchainDiffers }
        #expect(problems.count == (policy == "off" ? 0 : 1), "\(policy): \(run)")
        #expect(problems.allSatisfy { $0.message.contains("runtime.libXCTest.so: sha256:") })
      }
    }
  }
}

extension EndToEnd.ArchiveTests.Place {
  /// - Parameter isAbsolute: Whether the archive lies elsewhere.
  fileprivate init(_ folder: TemporaryFolder, archive: String, isAbsolute: Bool) {
    self.folder = folder
    self.archive = archive
  }
}
