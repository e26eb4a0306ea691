import FoundationEssentials
import Glibc
import RunModel
import TestSupport
import Testing

extension EndToEnd {
  /// Which toolchain is used, and what it is held against.
  @Suite struct ToolchainTests {
    /// A copy of a fixture's sources that uses what is built already.
    private struct Copy {
      let folder: TemporaryFolder
      let package: String
      let scratch: String

      init(_ name: String) async throws {
        scratch = try await FixturePackage.prepare(name).path + "/.build"
        folder = try TemporaryFolder(name: "kopie é x")
        package = try FixturePackage.copy(name, to: folder.path).path
      }

      func write(_ name: String, _ text: String) throws {
        try Data(text.utf8).write(to: URL(filePath: "\(package)/\(name)"))
      }

      func text(_ name: String) throws -> String {
        String(decoding: try readFile("\(package)/\(name)"), as: UTF8.self)
      }

      /// Runs a command on the package.
      func invoke(
        _ words: String..., options: [String] = [], environment: [String: String] = [:]
      ) async throws -> ProcessOutput {
        try await Carrel.invoke(
          words + [package, "--skip-build", "--scratch-path", scratch] + options,
          environment: environment)
      }

      func run(
        _ options: String..., environment: [String: String] = [:]
      ) async throws -> CarrelRun {
        try await run(options, environment: environment)
      }

      func run(
        _ options: [String], environment: [String: String] = [:]
      ) async throws -> CarrelRun {
        let output = try await invoke(
          "run", options: ["--output", folder.path(of: "runs")] + options,
          environment: environment)
        return CarrelRun(
          package: FixturePackage(name: "copy", path: package), output: output, folder: folder)
      }

      func fake(_ version: String, clang: String? = nil) throws -> FakeToolchain {
        try FakeToolchain(at: folder.path(of: "swift \(version)"), version: version, clang: clang)
      }
    }

    private struct Verified: Decodable {
      struct Difference: Decodable, Hashable {
        var fact: String
        var wanted: String
        var found: String?
        var weight: String
      }
      var compared: Int
      var differences: [Difference]
    }

    // MARK: The manifest

    @Test func aPinIsMetWhereItWasMade() async throws {
      let copy = try await Copy("TwoSuites")
      let none = try await copy.invoke("toolchain", "verify")
      #expect(none.status == 2 && none.errorText.contains("'carrel toolchain pin' writes it"))
      let pin = try await copy.invoke("toolchain", "pin")
      #expect(pin.status == 0 && pin.text.hasPrefix("pinned Swift "), "\(pin.allText)")
      let text = try copy.text("carrel-toolchain.json")
      let facts = text.split(separator: "\n").filter { $0.hasPrefix("    ") }
      #expect(facts == facts.sorted() && facts.count > 15)
      for name in ["compiler.version", "compiler.digest", "runtime.libswiftCore.so", "libc"] {
        #expect(facts.count { $0.hasPrefix("    \"\(name)\": \"") } == 1, "\(name)")
      }
      // What changes with each build is not in it.
      #expect(!text.contains("product.") && !text.contains("kernel.release"))
      let verify = try await copy.invoke("toolchain", "verify")
      #expect(verify.status == 0, "\(verify.allText)")
      #expect(verify.text.hasSuffix("\(facts.count) of \(facts.count) facts are the same\n"))
      // The same again, byte for byte.
      _ = try await copy.invoke("toolchain", "pin")
      #expect(try copy.text("carrel-toolchain.json") == text)
    }

    @Test func theMostTellingDifferenceComesFirst() async throws {
      let copy = try await Copy("TwoSuites")
      _ = try await copy.invoke("toolchain", "pin", options: ["--with-build"])
      let pinned = try copy.text("carrel-toolchain.json")
      #expect(pinned.contains("\"product.TwoSuitesPackageTests\": \"sha256:"))
      let fake = try copy.fake("9.9.9", clang: "1.2.3")
      try copy.write(
        "carrel-toolchain.json",
        pinned.replacing(#/("product\.[^"]+": "sha256:)[0-9a-f]{4}/#) { "\($0.output.1)0000" }
          .replacing(#/("libc": ")[^"]+/#) { "\($0.output.1)glibc 1.0" })
      let verify = try await copy.invoke(
        "toolchain", "verify", options: ["--toolchain", fake.path, "--format", "json"])
      #expect(verify.status == 6, "\(verify.allText)")
      let found = try JSONDecoder().decode(Verified.self, from: Data(verify.stdout))
      #expect(
        found.differences.map(\.fact) == [
          "compiler.version", "target", "compiler.build", "compiler.clang", "libc",
          "compiler.digest", "product.TwoSuitesPackageTests",
        ])
      #expect(
        found.differences.map(\.weight) == [
          "error", "error", "warning", "warning", "warning", "warning", "error",
        ])
      #expect(found.differences.first?.found == "9.9.9")
      let text = try await copy.invoke(
        "toolchain", "verify", options: ["--toolchain", fake.path, "--toolchain-policy", "off"])
      #expect(text.status == 0 && text.text.contains("ignored  compiler.version"))
      // Without --toolchain the wanted one is found.
      let own = try await copy.invoke("toolchain", "verify", options: ["--format", "json"])
      #expect(
        try JSONDecoder().decode(Verified.self, from: Data(own.stdout)).differences.map(\.fact)
          == ["libc", "product.TwoSuitesPackageTests"])
    }

    @Test func aBundleSaysWhatItWasMadeWith() async throws {
      let copy = try await Copy("TwoSuites")
      let run = try await copy.run("--filter", "FirstTests.BasicTests/testBasic")
      #expect(run.output.status == 1, "\(run)")
      let details = try #require(try run.state.header?.toolchainDetails)
      #expect(details.path == (try FakeToolchain.realPrograms) && details.policy == nil)
      #expect(details.reason.contains("PATH") && details.facts[.compilerVersion] != nil)
      let bundle = try #require(try run.bundles.first)
      let same = try await copy.invoke(
        "toolchain", "verify", options: ["--against", bundle, "--format", "json"])
      #expect(same.status == 0, "\(same.allText)")
      let verified = try JSONDecoder().decode(Verified.self, from: Data(same.stdout))
      #expect(verified.differences == [] && verified.compared > details.facts.values.count)
      let fake = try copy.fake("9.9.9")
      let other = try await copy.invoke(
        "toolchain", "verify", options: ["--against", bundle, "--toolchain", fake.path])
      #expect(other.status == 6, "\(other.allText)")
      #expect(other.text.contains("ERROR    compiler.version"))
    }

    @Test func policiesSayWhatADifferenceIs() async throws {
      let copy = try await Copy("TwoSuites")
      _ = try await copy.invoke("toolchain", "pin")
      let text = try copy.text("carrel-toolchain.json")
      try copy.write(
        "carrel-toolchain.json",
        text.replacing(#/("libc": ")[^"]+/#) { "\($0.output.1)glibc 1.0" })
      let compatible = try await copy.run("--filter", "FirstTests.BasicTests/testBasic")
      #expect(compatible.output.status == 1, "\(compatible)")
      let warnings = try compatible.state.problems.filter { $0.code == .toolchainDiffers }
      #expect(warnings.count == 1 && warnings[0].severity == .warning)
      #expect(warnings.first?.message.contains("libc: glibc 1.0 is wanted, glibc ") == true)
      try copy.write("carrel.json", #"{"format": "1.0", "toolchain": {"policy": "exact"}}"#)
      let exact = try await copy.invoke("list")
      #expect(exact.status == 6 && exact.text == "", "\(exact.allText)")
      #expect(exact.errorText.contains("libc: glibc 1.0 is wanted"))
      #expect(exact.errorText.contains("--toolchain-policy compatible"))
      // The command line wins over the file.
      let off = try await copy.invoke("list", options: ["--toolchain-policy", "off"])
      #expect(off.status == 0 && off.errorText == "", "\(off.allText)")
    }

    // MARK: Which one is used

    /// Nothing is taken in the place of what a file wants.
    @Test(arguments: [
      ("9.9.9\n", 6 as Int32, "wants 9.9.9"), ("# why\r\nmain-snapshot\r\n", 6, "snapshot of main"),
      ("", 2, "names no version"), ("# nothing\r\n", 2, "names no version"),
      ("six", 2, "'six'"), ("latest\n", 0, ""),
    ]) func versionFilesAreObeyed(text: String, status: Int32, message: String) async throws {
      let copy = try await Copy("TwoSuites")
      try copy.write(".swift-version", text)
      let list = try await copy.invoke("list")
      #expect(list.status == status, "\(list.allText)")
      let lines = list.errorText.split(separator: "\n")
      #expect(lines.count == (status == 0 ? 0 : 1) && list.errorText.contains(message))
      guard status == 6 else { return }
      #expect(list.text == "" && list.errorText.contains("\(copy.package)/.swift-version wants "))
      #expect(list.errorText.contains("found: ") && list.errorText.contains("in /"))
    }

    @Test func theWantedVersionIsFoundInUsualPlaces() async throws {
      let copy = try await Copy("TwoSuites")
      let home = copy.folder.path(of: "home")
      let fake = try FakeToolchain(
        at: "\(home)/.local/share/swiftly/toolchains/9.9.9", version: "9.9.9")
      for text in ["9.9.9", "swift-9.9.9-RELEASE", "9", "9.9"] {
        try copy.write(".swift-version", text + "\r\n")
        // What was built was built by the real one.
        let list = try await copy.invoke("list", environment: ["HOME": home])
        #expect(list.status == 6, "\(list.allText)")
        let name = "Swift 9.9.9 (swift-9.9.9-RELEASE) in \(fake.programs)"
        #expect(list.errorText.contains("not by \(name)"))
      }
    }

    @Test func aProxyThatFailsIsNamed() async throws {
      let copy = try await Copy("TwoSuites")
      let bin = copy.folder.path(of: "proxy/bin")
      for name in ["swift", "swiftc"] {
        try writeScript("\(bin)/\(name)", "echo 'the toolchain is not installed'; exit 1")
      }
      try copy.write(".swift-version", "9.9.9\n")
      let path = "\(bin):\(try FakeToolchain.realPrograms):/usr/bin:/bin"
      let list = try await copy.invoke("list", environment: ["PATH": path])
      #expect(list.status == 6, "\(list.allText)")
      #expect(list.errorText.contains("exit status 1: the toolchain is not installed"))
    }

    @Test func whatIsNoToolchainIsRefused() async throws {
      let copy = try await Copy("TwoSuites")
      let list = try await copy.invoke("list", options: ["--toolchain", copy.package])
      #expect(list.status == 2 && list.errorText.contains("is no toolchain"), "\(list.allText)")
    }

    // MARK: Nothing else is used

    /// A build, a listing, a run and a reproduction call none of the programs that come first on
    /// the caller's path, whatever variables lead there.
    @Test func programsOnThePathAreNotCalled() async throws {
      let folder = try TemporaryFolder()
      let package = try FixturePackage.copy("TwoSuites", to: folder.path)
      let log = folder.path(of: "calls")
      let shadow = folder.path(of: "shadow")
      for name in ["swift", "swiftc", "clang", "llvm-symbolizer", "swift-build", "lld"] {
        try writeScript("\(shadow)/\(name)", "echo \"\(name) $*\" >>'\(log)'; exit 1")
      }
      let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
      let environment = [
        "PATH": "\(shadow):\(path)", "SWIFT_EXEC": "\(shadow)/swiftc",
        "SWIFT_EXEC_MANIFEST": "\(shadow)/swiftc",
        // Nothing is remembered, and the observer is built.
        "XDG_CACHE_HOME": folder.path(of: "cache"),
      ]
      let toolchain = ["--toolchain", try FakeToolchain.realPrograms]
      let output = try await Carrel.invoke(
        [
          "run", package.path, "--output", folder.path(of: "runs"), "--filter",
          "FirstTests.BasicTests/testBasic",
        ] + toolchain, environment: environment, timeout: 300)
      let run = CarrelRun(package: package, output: output, folder: folder)
      #expect(output.status == 1, "\(run)")
      let repro = try await Carrel.invoke(
        ["repro", try #require(try run.bundles.first), package.path] + toolchain,
        environment: environment, timeout: 300)
      #expect(repro.status == 0, "\(repro.allText)")
      for command in [["list"], ["toolchain", "pin"], ["toolchain", "verify"]] {
        let output = try await Carrel.invoke(
          command + [package.path] + toolchain, environment: environment)
        #expect(output.status == 0, "\(output.allText)")
      }
      let calls = (try? readFile(log)).map { String(decoding: $0, as: UTF8.self) }
      #expect(calls == nil)
    }

    /// Test processes load the libraries of their own toolchain, whatever the caller's variables
    /// say.
    @Test(arguments: [[], ["--pass-env", "LD_LIBRARY_PATH"]])
    func theCallersLibrariesAreNotLoaded(options: [String]) async throws {
      let copy = try await Copy("TwoSuites")
      let wrong = copy.folder.path(of: "wrong")
      try FileManager.default.createDirectory(atPath: wrong, withIntermediateDirectories: true)
      // Carrel itself loads neither of them.
      for name in ["libXCTest.so", "libTesting.so"] {
        try Data("no library".utf8).write(to: URL(filePath: "\(wrong)/\(name)"))
      }
      let cache = try TemporaryFolder()
      let run = try await copy.run(
        options, environment: ["LD_LIBRARY_PATH": wrong, "XDG_CACHE_HOME": cache.path])
      #expect(run.output.status == 1, "\(run)")
      let tests = try run.state.tests
      #expect(tests.count == 6 && tests.allSatisfy { $0.result.verdict == .failed }, "\(run)")
    }

    /// Nothing but the toolchain's path leads to it.
    @Test func anEmptyEnvironmentIsEnough() async throws {
      let copy = try await Copy("TwoSuites")
      let output = try await runProcess(
        [
          Carrel.executable, "run", copy.package, "--skip-build", "--scratch-path", copy.scratch,
          "--output", copy.folder.path(of: "runs"), "--toolchain", try FakeToolchain.realPrograms,
        ], environment: [:])
      let run = CarrelRun(
        package: FixturePackage(name: "copy", path: copy.package), output: output,
        folder: copy.folder)
      #expect(output.status == 1, "\(run)")
      let tests = try run.state.tests
      #expect(tests.count == 6 && tests.allSatisfy { $0.result.verdict == .failed }, "\(run)")
    }

    // MARK: What others have built

    @Test func productsOfAnotherToolchainAreBuiltAnew() async throws {
      let folder = try TemporaryFolder(name: "ä b")
      let package = try FixturePackage.copy("TwoSuites", to: folder.path)
      let fake = try FakeToolchain(at: folder.path(of: "fake"), version: "9.9.9")
      func run(_ runs: String, _ options: String...) async throws -> CarrelRun {
        let output = try await Carrel.invoke(
          ["run", package.path, "--output", folder.path(of: "\(runs)/runs")] + options,
          timeout: 300)
        let inner = try TemporaryFolder()
        try FileManager.default.moveItem(
          atPath: folder.path(of: "\(runs)/runs"), toPath: inner.path(of: "runs"))
        return CarrelRun(package: package, output: output, folder: inner)
      }
      let first = try await run("1")
      #expect(first.output.status == 1, "\(first)")
      #expect(try first.state.problems == [])
      let mark = "\(package.path)/.build/debug/carrel-build.json"
      #expect(String(decoding: try readFile(mark), as: UTF8.self).contains("Swift 6"))

      let refused = try await run("2", "--skip-build", "--toolchain", fake.path)
      #expect(refused.output.status == 6, "\(refused)")
      #expect(try refused.state.tests.isEmpty)
      #expect(refused.output.errorText.contains("leave out --skip-build"), "\(refused)")

      let second = try await run("3", "--toolchain", fake.path)
      #expect(second.output.status == 1, "\(second)")
      let problems = try second.state.problems
      // It says that it is 9.9.9, and what it calls is not.
      #expect(problems.map(\.code) == [.staleProducts, .toolchainMixed], "\(second)")
      #expect(problems.first?.message.contains("not by Swift 9.9.9") == true)
      #expect(try second.state.header?.toolchainDetails?.path == fake.programs)
      #expect(try second.state.header?.toolchainDetails?.facts[.compilerVersion] == "9.9.9")
      let again = [
        "repro", try #require(try first.bundles.first), package.path, "--skip-build",
        "--toolchain", fake.path,
      ]
      let refusal = try await Carrel.invoke(again)
      #expect(refusal.status == 6, "\(refusal.allText)")
      #expect(refusal.errorText.contains("is not what the test failed with: compiler.version: 6"))
      #expect(refusal.errorText.contains("--toolchain-policy off runs the test all the same"))
      let repro = try await Carrel.invoke(again + ["--toolchain-policy", "off"])
      #expect(repro.text.contains("  compiler.version: was 6"), "\(repro.allText)")
      #expect(repro.text.contains(", is 9.9.9\n"), "\(repro.allText)")

      let back = try await run("4", "--filter", "FirstTests")
      #expect(try back.state.problems.map(\.code) == [.staleProducts], "\(back)")
      #expect(back.output.text.contains("Compiling") || back.output.errorText.contains("Compiling"))
    }

    /// One error for the product, not one for each test or library.
    @Test(arguments: [false, true])
    func aProductThatCannotBeLoadedIsOneProblem(hasCache: Bool) async throws {
      let folder = try TemporaryFolder()
      let package = try FixturePackage.copy("TwoSuites", to: folder.path)
      let products = "\(package.path)/.build/debug"
      try FileManager.default.createDirectory(
        atPath: products, withIntermediateDirectories: true)
      try Data("int gone(void) { return 0; }".utf8).write(
        to: URL(filePath: folder.path(of: "gone.c")))
      try Data("int gone(void); int main(void) { return gone(); }".utf8).write(
        to: URL(filePath: folder.path(of: "main.c")))
      let clang = "\(try FakeToolchain.realPrograms)/clang"
      let library = folder.path(of: "libcarrelgone.so")
      for words in [
        [clang, "-shared", "-fPIC", folder.path(of: "gone.c"), "-o", library],
        [
          clang, folder.path(of: "main.c"), "-L", folder.path, "-lcarrelgone", "-o",
          "\(products)/TwoSuitesPackageTests.xctest",
        ],
      ] {
        let output = try await runProcess(words)
        #expect(output.status == 0, "\(output.allText)")
      }
      unlink(library)
      let output = try await Carrel.invoke(
        ["run", package.path, "--skip-build", "--output", folder.path(of: "runs")],
        environment: hasCache ? [:] : ["XDG_CACHE_HOME": folder.path(of: "cache")])
      let run = CarrelRun(package: package, output: output, folder: folder)
      #expect(output.status == 5, "\(run)")
      let problems = try run.state.problems.filter { $0.severity == .error }
      #expect(problems.map(\.code) == [.loaderFailed], "\(run)")
      #expect(problems.first?.message.contains("libcarrelgone.so was not found") == true)
    }

    // MARK: Apps

    /// An app that another compiler has built is a fault of the surroundings: both are named.
    @Test func appsOfAnotherCompilerAreNamed() async throws {
      let copy = try await Copy("Intents")
      let real = try await runProcess(["\(try FakeToolchain.realPrograms)/swift", "--version"])
      let version = try #require(SwiftVersion(describedBy: real.text))
      let fake = try copy.fake("\(version)", clang: "99.0.0 (elsewhere 1234)")
      let toolchain = ["--toolchain", fake.path]
      let plain = try await copy.invoke(
        "list", options: toolchain + ["--filter", "NoteTests"])
      #expect(plain.status == 0, "\(plain.allText)")
      _ = try await copy.invoke("toolchain", "pin", options: toolchain)
      let run = try await copy.run(
        "--toolchain", fake.path, "--filter", "NoteTests|PlainTests", "--workers", "1")
      #expect(run.output.status == 6, "\(run)")
      let tests = try run.state.tests
      let plainTests = tests.filter { $0.id.name.hasPrefix("PlainTests.") }
      #expect(!plainTests.isEmpty && plainTests.count < tests.count)
      for test in tests {
        let isPlain = test.id.name.hasPrefix("PlainTests.")
        #expect(test.result.verdict == (isPlain ? .passed : .environment), "\(test.id)")
        guard !isPlain else { continue }
        let reason = test.decisive?.reason ?? ""
        let major = version.numbers[0]
        #expect(reason.contains("com.example.TestApp was compiled with Swift \(major)."))
        #expect(reason.contains("(clang 99.0.0 (elsewhere 1234)) in \(fake.programs)"), "\(reason)")
      }
    }
  }
}
