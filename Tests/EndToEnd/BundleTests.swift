import FoundationEssentials
import Glibc
import RunModel
import TestSupport
import Testing

extension EndToEnd {
  /// Failure bundles: reading, checking and reproducing them.
  @Suite struct BundleTests {
    @Test(arguments: [
      ("BasicXCTests/testFails", "auto"), ("CrashXCTests/test2FatalError", "1"),
      ("ExitTests/exitsZero()", "1"), ("ParameterizedTests/evenOnly(number:)", "auto"),
      ("RawNameTests/`and/another.one \"q\" <x> (y)`()", "7"),
      ("OverloadTests/same(number:)@RawNameTests.swift:39:4", "1"),
      ("LeakXCTests/test1BackgroundProcess", "1"),
    ])
    func reproducesTheFailure(name: String, batch: String) async throws {
      let id =
        "OutcomesPackageTests:\(name.contains("(") ? "testing" : "xctest"):OutcomesTests.\(name)"
      let run = try await Carrel.run(
        "Outcomes", "--test", id, "--batch", batch, "--leaks", "fail")
      #expect(run.output.status == 1, "\(run)")
      let bundle = try run.bundle(try #require(try run.state.tests.first))
      #expect(run.output.text.contains(try #require(bundle.split(separator: "/").last)), "\(run)")
      let repro = try await Carrel.invoke(["repro", bundle, run.package.path])
      #expect(repro.status == 0, "\(repro.text)\(repro.errorText)")
      #expect(repro.text.contains("REPRODUCED"), "\(repro.text)")
    }

    /// The bundle of a failing attempt, tried where the test passes, and where it fails otherwise.
    @Test func tellsOtherEndsApart() async throws {
      let counters = try TemporaryFolder()
      let run = try await Carrel.run(
        "Outcomes", "--filter", "testAlwaysFails|RetryTests/passesOnThird", "--batch", "1",
        "--pass-env", "OUTCOMES_COUNTERS", "--writable", counters.path,
        environment: ["OUTCOMES_COUNTERS": counters.path])
      #expect(run.output.status == 1, "\(run)")
      func repro(_ name: String) async throws -> ProcessOutput {
        try await Carrel.invoke(
          [
            "repro", try run.bundle(try run.test(name), attempt: 1), run.package.path,
            "--pass-env", "OUTCOMES_COUNTERS",
          ], environment: ["OUTCOMES_COUNTERS": counters.path])
      }
      // Its message has the number of the attempt.
      let different = try await repro("testAlwaysFails")
      #expect(different.status == 11, "\(different.text)\(different.errorText)")
      for _ in 1...2 { _ = try await repro("passesOnThirdAttempt()") }
      let passed = try await repro("passesOnThirdAttempt()")
      #expect(passed.status == 10, "\(passed.text)\(passed.errorText)")
    }

    /// The files that the test left are there again; a folder that has files is left alone.
    @Test func extractionBringsTheContainer() async throws {
      let run = try await failingRun()
      let folder = try TemporaryFolder()
      let documents = folder.path(of: "out/container/home/Documents")
      let extracted = try await Carrel.invoke([
        "bundle", "extract", try run.bundle(try run.test("hostileFileNames()")),
        folder.path(of: "out"),
      ])
      #expect(extracted.status == 0, "\(extracted.errorText)")
      for name in ["manifest.json", "index.sqlite", "repro.sh"] {
        #expect(FileManager.default.fileExists(atPath: folder.path(of: "out/\(name)")), "\(name)")
      }
      let left = try FileManager.default.contentsOfDirectory(atPath: documents)
      #expect(left.count == 8 && left.contains("line\nfake"), "\(left)")
      #expect(unlink("\(documents)/line\nfake") == 0)
      let again = try await Carrel.invoke([
        "bundle", "extract", try run.bundle(try run.test("hostileFileNames()")),
        folder.path(of: "out"),
      ])
      #expect(again.status == 7, "\(again.allText)")
      #expect(again.errorText.contains("out"), "\(again.errorText)")
      #expect(try FileManager.default.contentsOfDirectory(atPath: documents).count == 7)
    }

    @Test func showsWhatHappened() async throws {
      let run = try await failingRun("BasicXCTests/testFails$")
      let test = try run.test("testFails")
      let bundle = try run.bundle(test)
      let shown = try await Carrel.invoke(["bundle", "show", bundle])
      #expect(shown.status == 0)
      for part in [test.id.description, "failed", "arithmetic is off"] {
        #expect(shown.text.contains(part), "\(shown.text)")
      }
      let listed = try await Carrel.invoke(["bundle", "list", bundle])
      #expect(listed.status == 0)
      let names = listed.text.split(separator: "\n")
      #expect(names.first?.contains("manifest.json") == true, "\(listed.text)")
      #expect(names.contains { $0.contains("repro.sh") })
      let verified = try await Carrel.invoke(["bundle", "verify", bundle])
      #expect(verified.status == 0, "\(verified.text)\(verified.errorText)")
    }

    /// The script in a bundle needs the command and the package, and says so.
    @Test func theScriptInABundleRunsItsTestAgain() async throws {
      let run = try await failingRun("BasicXCTests/testFails$")
      let bundle = try run.bundle(try run.test("testFails"))
      let folder = run.folder.path(of: "out")
      let extracted = try await Carrel.invoke(["bundle", "extract", bundle, folder])
      #expect(extracted.status == 0, "\(extracted.errorText)")
      let script = ["/bin/sh", "\(folder)/repro.sh"]
      let system = "/usr/bin:/bin"
      let usage = try await runProcess(script, environment: ["PATH": system])
      #expect(usage.status == 2 && usage.errorText.contains("usage: sh repro.sh BUNDLE"))
      let missing = try await runProcess(script + [bundle], environment: ["PATH": system])
      #expect(missing.status != 0 && missing.errorText.contains("PATH=/path/to/carrel"))
      var variables = Carrel.variables(adding: [:])
      variables["PATH"] = "\(Carrel.productsFolder):\(variables["PATH"] ?? system)"
      let again = try await runProcess(
        script + [bundle, run.package.path], environment: variables, timeout: 300)
      #expect(again.status == 0, "\(again.allText)")
      #expect(again.text.lowercased().contains("reproduced"), "\(again.allText)")
    }

    /// Several at once: each has its line, the status is the worst.
    @Test func verifiesSeveralBundles() async throws {
      let run = try await failingRun("BasicXCTests/testFails$", compression: "none")
      let bundle = try run.bundle(try run.test("testFails"))
      let bytes = try readFile(bundle)
      let (copy, cut) = (run.folder.path(of: "copy.tar"), run.folder.path(of: "cut.tar"))
      try Data(bytes).write(to: URL(filePath: copy))
      try Data(bytes.prefix(bytes.count / 2)).write(to: URL(filePath: cut))
      let missing = run.folder.path(of: "missing.tar")
      let good = try await Carrel.invoke(["bundle", "verify", bundle, copy])
      #expect(good.status == 0, "\(good.allText)")
      let lines = good.text.split(separator: "\n")
      #expect(lines.count == 2 && lines[1].hasPrefix("\(copy): whole: "), "\(good.text)")
      let mixed = try await Carrel.invoke(["bundle", "verify", cut, bundle, missing, copy])
      #expect(mixed.status == 8, "\(mixed.allText)")
      #expect(mixed.text.split(separator: "\n").map { $0 } == lines, "\(mixed.text)")
      for part in ["'\(cut)' is not whole", missing] {
        #expect(mixed.errorText.contains(part), "\(mixed.errorText)")
      }
    }

    /// File names from a container do not drive the terminal.
    @Test func hostileFileNamesAreHarmless() async throws {
      let run = try await failingRun()
      let bundle = try run.bundle(try run.test("hostileFileNames()"))
      for command in ["list", "show", "verify"] {
        let output = try await Carrel.invoke(["bundle", command, bundle])
        #expect(output.status == 0, "\(output.errorText)")
        #expect(isHarmless(output.stdout + output.stderr), "bundle \(command)")
        guard command == "list" else { continue }
        let lines = output.text.split(separator: "\n")
        for part in ["hidden", "fake", "here", "title", "txt.exe"] {
          #expect(lines.count { $0.contains(part) } == 1, "\(part) in \(output.text)")
        }
      }
      #expect(isHarmless(run.output.stdout + run.output.stderr))
    }

    /// Cut off anywhere, a bundle is refused.
    @Test(arguments: ["none", "gzip", "zstd"])
    func cutOffBundleIsRefused(compression: String) async throws {
      let run = try await failingRun("BasicXCTests/testFails$", compression: compression)
      let bytes = try readFile(try run.bundle(try run.test("testFails")))
      let cuts = [0, 1, 511, 512, 1024, bytes.count / 2, bytes.count - 1024, bytes.count - 1]
      for cut in cuts where cut < bytes.count && cut >= 0 {
        let path = run.folder.path(of: "cut.tar")
        try Data(bytes.prefix(cut)).write(to: URL(filePath: path))
        for arguments in [
          ["bundle", "verify", path], ["bundle", "list", path], ["bundle", "show", path],
          ["bundle", "list", path, "--format", "json"], ["repro", path, run.package.path],
          ["bundle", "extract", path, run.folder.path(of: "cut-\(cut)")],
        ] {
          let output = try await Carrel.invoke(arguments)
          #expect(output.status == 8, "\(arguments) cut at \(cut): \(output.text)")
          #expect(output.errorText.contains("cut.tar"), "\(output.errorText)")
        }
      }
    }

    /// A tar archive without the list of contents has an end, but is not whole.
    @Test func bundleWithoutItsList() async throws {
      let run = try await failingRun("BasicXCTests/testFails$", compression: "none")
      let bundle = try run.bundle(try run.test("testFails"))
      let path = run.folder.path(of: "no-list.tar")
      let script = """
        import sys, tarfile
        end = tarfile.open(sys.argv[1]).getmember("contents.json").offset
        open(sys.argv[2], "wb").write(open(sys.argv[1], "rb").read(end) + bytes(1024))
        """
      let edit = try await runProcess(["python3", "-c", script, bundle, path])
      #expect(edit.status == 0, "\(edit.errorText)")
      for arguments in [
        ["list", path], ["show", path], ["verify", path], ["list", path, "--format", "json"],
        ["show", path, "--format", "json"],
      ] {
        let output = try await Carrel.invoke(["bundle"] + arguments)
        #expect(output.status == 8, "\(arguments)")
        #expect(
          output.errorText.contains("there is no list of contents at the end"),
          "\(output.errorText)")
      }
    }

    /// A bundle of a newer format says so; a newer minor version is read.
    @Test(arguments: [("9.0", Int32(8)), ("1.9", 0)])
    func newerFormat(version: String, status: Int32) async throws {
      let run = try await failingRun("BasicXCTests/testFails$", compression: "none")
      let bundle = try run.bundle(try run.test("testFails"))
      let edited = run.folder.path(of: "edited.tar")
      let script = #"""
        import hashlib, re, sys, tarfile
        data = bytearray(open(sys.argv[1], "rb").read())
        entry = tarfile.open(sys.argv[1]).getmember("manifest.json")
        start, end = entry.offset_data, entry.offset_data + entry.size
        digest = hashlib.sha256(data[start:end]).hexdigest().encode()
        manifest, count = re.subn(
            rb'("format"\s*:\s*)"1\.0"', b'\\1"' + sys.argv[3].encode() + b'"', data[start:end])
        assert count == 1 and len(manifest) == end - start and data.count(digest) == 1
        data[start:end] = manifest
        data = data.replace(digest, hashlib.sha256(manifest).hexdigest().encode())
        # The list of contents ends with the digest of its own lines.
        start = tarfile.open(sys.argv[1]).getmember("contents.json").offset_data
        end = data.rindex(b'],"sha256":"')
        own = hashlib.sha256(data[start:end]).hexdigest().encode()
        data[end + 12:end + 12 + len(own)] = own
        open(sys.argv[2], "wb").write(data)
        """#
      let edit = try await runProcess(["python3", "-c", script, bundle, edited, version])
      #expect(edit.status == 0, "\(edit.errorText)")
      let shown = try await Carrel.invoke(["bundle", "show", edited])
      #expect(shown.status == status, "\(shown.text)\(shown.errorText)")
      if status != 0 { #expect(shown.errorText.contains(version), "\(shown.errorText)") }
    }

    @Test(arguments: ["none", "gzip"])
    func tarUnpacksTheSameAsTheCommand(compression: String) async throws {
      let run = try await failingRun("BasicXCTests/testFails$", compression: compression)
      let bundle = try run.bundle(try run.test("testFails"))
      let gnu = run.folder.path(of: "gnu")
      try FileManager.default.createDirectory(atPath: gnu, withIntermediateDirectories: true)
      let tar = try await runProcess(["tar", "-xf", bundle, "-C", gnu])
      #expect(tar.status == 0, "\(tar.errorText)")
      let own = run.folder.path(of: "own")
      let extracted = try await Carrel.invoke(["bundle", "extract", bundle, own])
      #expect(extracted.status == 0)
      let names = try sources(below: gnu).map { $0.dropFirst(gnu.count) }
      #expect(try sources(below: own).map { $0.dropFirst(own.count) } == names)
      for name in names { #expect(try readFile(gnu + name) == readFile(own + name), "\(name)") }
    }

    private func failingRun(
      _ filter: String = "hostileFileNames", compression: String = "zstd"
    ) async throws -> CarrelRun {
      let run = try await Carrel.run(
        "Outcomes", "--filter", filter, "--batch", "1", "--bundle-compression", compression)
      #expect(run.output.status == 1, "\(run)")
      return run
    }
  }
}

/// Whether bytes can be shown in a terminal: no control characters but the line's end and the tab,
/// none that turn the direction of text.
func isHarmless(_ bytes: [UInt8]) -> Bool {
  String(decoding: bytes, as: UTF8.self).unicodeScalars.allSatisfy { scalar in
    switch scalar.value {
    case 0x0A: true
    case 0..<0x20, 0x7F..<0xA0, 0x202A...0x202E, 0x2066...0x2069: false
    default: true
    }
  }
}
