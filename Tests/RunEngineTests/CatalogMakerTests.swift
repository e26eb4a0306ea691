import Glibc
import RunModel
import SearchIndex
import SwiftTests
import SystemFiles
import TestSupport
import Testing
import Workers

@testable import RunEngine

extension RunsProcesses {
  /// Building and listing with a toolchain and a test executable that are shell scripts.
  @Suite struct CatalogMakerTests {
    /// A catalog, and what the listener was told.
    struct Made: Sendable {
      var catalog: Result<TestCatalog, any Error>
      var buildOutput: String
    }

    private func make(
      _ package: FakePackage,
      configure: @escaping @Sendable (inout PackageConfiguration) -> Void = { _ in }
    ) async throws -> Made {
      try await onOwnThread {
        let supervisor = try Supervisor(ownsAllChildren: false)
        let root = try WorkRoot(base: package.folder.path(of: "work"))
        let indexTemplate = root.path + "/index.sqlite"
        try SearchIndex.createEmpty(at: indexTemplate)
        var configuration = package.configuration
        configure(&configuration)
        let listener = BuildListener()
        let catalog = Result {
          try CatalogMaker(
            supervisor: supervisor, configuration: configuration, listener: listener
          ).make(root: root, indexTemplate: indexTemplate)
        }
        return Made(catalog: catalog, buildOutput: listener.output)
      }
    }

    private static let tests: KeyValuePairs = ["M.A/testB": ":", "M.A/testA": ":"]

    @Test func productsAreBuiltAndListed() async throws {
      let package = try FakePackage(
        Self.tests, build: "echo building \"$@\"; echo a warning >&2; echo \"$#\" >>builds")
      let made = try await make(package) { $0.buildFlags = ["-Xswiftc", "-DX"] }
      let catalog = try made.catalog.get()
      #expect(catalog.products == package.catalog.products)
      // In the order of the listing.
      #expect(catalog.tests.map(\.id) == [package.id("M.A/testB"), package.id("M.A/testA")])
      #expect(catalog.problems == [])
      #expect(made.buildOutput.contains("building build --build-tests --package-path"))
      #expect(made.buildOutput.contains("a warning\n"))
      #expect(made.buildOutput.contains("-Xswiftc -DX"))
      #expect(package.lines("builds").count == 1)
      #expect(catalog.observer.path == package.observer.path)
      // The containers of the listing are gone.
      let left = folderEntries(package.folder.path(of: "work/carrel-\(getuid())"))
      #expect(left == [])
    }

    /// One product that ends while it is listed takes nothing from the other.
    @Test(arguments: [true, false])
    func everyTestProductIsListed(secondIsFine: Bool) async throws {
      let package = try FakePackage(Self.tests)
      let script = String(decoding: try #require(readSmallFile(package.executable)), as: UTF8.self)
      let second = secondIsFine ? script : "#!/bin/sh\nkill -ILL $$\n"
      try package.write(".build/debug/SecondTests.xctest", second)
      let catalog = try await make(package).catalog.get()
      #expect(catalog.products.map(\.name) == [FakePackage.product, "SecondTests"])
      let own = [package.id("M.A/testB"), package.id("M.A/testA")]
      let others = own.map { TestID(product: "SecondTests", library: $0.library, name: $0.name) }
      #expect(catalog.tests.map(\.id) == own + (secondIsFine ? others : []))
      let errors = catalog.problems.filter { $0.severity == .error }
      #expect(errors.isEmpty == secondIsFine)
      #expect(errors.allSatisfy { $0.code == .listingFailed && $0.message.contains("SecondTests") })
    }

    @Test func noBuildOnRequest() async throws {
      let package = try FakePackage(Self.tests, build: "echo \"$#\" >>builds")
      let made = try await make(package) { $0.skipsBuild = true }
      #expect(try made.catalog.get().tests.count == 2)
      #expect(package.lines("builds") == [] && made.buildOutput == "")
    }

    @Test func aFailedBuildIsAnErrorWithItsOutput() async throws {
      let package = try FakePackage(Self.tests, build: "echo 'T.swift:5: error: no'; exit 1")
      let made = try await make(package)
      let error = #expect(throws: SwiftTestsError.self) { try made.catalog.get() }
      #expect(error?.code == .buildFailed)
      #expect(error?.output == "T.swift:5: error: no\n")
      #expect(error?.message.contains("exit status 1") == true)
      #expect(made.buildOutput == "T.swift:5: error: no\n")
      #expect(package.lines("listings") == [])
    }

    @Test(arguments: ["Package.swift", "toolchain/swift", ".build/debug/FakePackageTests.xctest"])
    func whatIsMissingIsNamed(file: String) async throws {
      let package = try FakePackage(Self.tests)
      unlink(package.folder.path(of: file))
      // What was built may be missing, or never have been.
      if file.hasSuffix(".xctest") {
        let product = #"{"binaryPath":"/x/FakePackageTests.xctest","productName":"F"}"#
        try writeSmallFile(
          package.folder.path(of: ".build/debug/description.json"),
          Array(#"{"builtTestProducts":[\#(product)]}"#.utf8))
      }
      // No other toolchain either.
      let made = try await make(package) { $0.environment["PATH"] = package.toolchain }
      let error = #expect(throws: SwiftTestsError.self) { try made.catalog.get() }
      let codes: [String: SwiftTestsError.Code] = [
        "Package.swift": .noPackage, "toolchain/swift": .noToolchain,
      ]
      #expect(error?.code == codes[file] ?? .noProducts)
    }

    @Test func aBuildWithoutTestProductsIsAnEmptyListing() async throws {
      let package = try FakePackage(Self.tests)
      unlink(package.executable)
      let catalog = try await make(package).catalog.get()
      #expect(catalog.tests == [] && catalog.products == [])
      #expect(catalog.problems.map(\.code) == [.noTestProducts])
      #expect(catalog.problems.map(\.severity) == [.warning])
      // Nobody knows whether what was never built has tests.
      let unbuilt = try await make(package) { $0.skipsBuild = true }
      let error = #expect(throws: SwiftTestsError.self) { try unbuilt.catalog.get() }
      #expect(error?.code == .noProducts)
    }

    /// An unchanged product is not listed again, and a changed one is.
    @Test func listingsAreRemembered() async throws {
      let package = try FakePackage(
        Self.tests,
        listing: #"say '{"k":"inherited","c":"M.Sub","n":"M.A","executed":2}'"#)
      let first = try await make(package).catalog.get()
      // A run remembers what it learned.
      first.remember([], seconds: [package.id("M.A/testB"): 2.5, package.id("M.A/testA"): 0.01])
      let second = try await make(package).catalog.get()
      #expect(package.lines("listings").count == 1)
      #expect(second.tests == first.tests)
      #expect(second.slowTests == [package.id("M.A/testB"): 2.5])
      for catalog in [first, second] {
        #expect(catalog.problems.map(\.code.rawValue) == ["inherited-tests"])
        #expect(catalog.problems.first?.severity == .warning)
        #expect(catalog.problems.first?.message.contains("M.Sub inherits 2 tests") == true)
      }
      let text = try #require(readSmallFile(package.executable))
      try writeSmallFile(package.executable, text)
      let third = try await make(package).catalog.get()
      #expect(package.lines("listings").count == 2)
      // The times are only hints, and stay.
      #expect(third.slowTests == second.slowTests)
    }

    @Test func aFailedListingIsAProblemAndIsNotRemembered() async throws {
      let package = try FakePackage(Self.tests, listing: "echo 'out of luck' >&2; exit 3")
      for count in 1...2 {
        let catalog = try await make(package).catalog.get()
        #expect(catalog.tests == [])
        #expect(catalog.problems.map(\.code.rawValue) == ["listing-failed"])
        let problem = try #require(catalog.problems.first)
        #expect(problem.severity == .error)
        #expect(problem.output == "out of luck\n")
        #expect(problem.message.contains("XCTest tests of FakePackageTests"))
        #expect(problem.message.hasSuffix("exit status 3"))
        catalog.remember([], seconds: [:])
        #expect(package.lines("listings").count == count)
      }
    }

    @Test func aListingThatHangsIsEnded() async throws {
      let package = try FakePackage(Self.tests, listing: "while :; do sleep 1251; done")
      let catalog = try await make(package) { $0.listingLimit = 0.5 }.catalog.get()
      #expect(catalog.tests == [])
      // Under load the other library's listing may be late as well.
      let problem = try #require(catalog.problems.first { $0.message.contains("XCTest tests") })
      #expect(problem.code == .listingFailed)
      #expect(problem.message.hasSuffix("signal SIGKILL after the limit of 0.5 s"))
    }

    @Test func aHomeOutsideOfTheContainerIsAProblem() async throws {
      let package = try FakePackage(
        Self.tests, listing: #"say '{"k":"homes","NSHomeDirectory":"/home/me"}'"#)
      let catalog = try await make(package).catalog.get()
      #expect(catalog.tests.count == 2)
      #expect(catalog.problems.map(\.code.rawValue) == ["container-escaped"])
      #expect(catalog.problems[0].message.contains("NSHomeDirectory is /home/me"))
    }

    /// Made by the toolchain once, and then kept.
    @Test func theObserverIsBuiltOnce() async throws {
      let package = try FakePackage(Self.tests)
      let path = package.observer.path
      #expect(rename(path, package.folder.path(of: "library")) == 0)
      removeTree(String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]))
      let library = package.folder.path(of: "library")
      // They do not say what they are.
      let begin = "#!/bin/sh\ncase \"$1\" in --version|-print-target-info) exit 1 ;; esac\n"
      try package.write("toolchain/clang", begin + "echo clang >>'\(library).log'\n")
      try package.write(
        "toolchain/swiftc",
        begin + "echo swiftc >>'\(library).log'\ncp '\(library)' libCarrelObserver.so\n")
      for _ in 1...2 {
        #expect(try await make(package).catalog.get().tests.count == 2)
        #expect(package.lines("library.log") == ["clang", "swiftc"])
      }
      let left = (folderEntries(package.cache) ?? []).filter { $0 != "digests.json" }
      #expect(left.count == 1 && left.allSatisfy { $0.hasPrefix("observer-") }, "\(left)")
    }

    /// A run that is killed while it builds the observer, or remembers, leaves files in the cache.
    @Test func whatKilledRunsLeftInTheCacheIsRemoved() async throws {
      let package = try FakePackage(Self.tests)
      try makeFolders("\(package.cache)/\(Leftovers.name(.folder))/modules")
      try makeFolders(package.cache + "/products")
      try writeSmallFile("\(package.cache)/products/\(Leftovers.name(.file))", [])
      _ = try await make(package).catalog.get()
      let left = folderEntries(package.cache) ?? []
      #expect(!left.contains { $0.hasPrefix(".carrel") }, "\(left)")
      #expect(!(folderEntries(package.cache + "/products") ?? []).contains { $0.hasPrefix(".") })
    }

    @Test(arguments: ["clang", "swiftc", "nothing made"])
    func anObserverThatDoesNotBuildIsAnError(fault: String) async throws {
      let package = try FakePackage(Self.tests)
      unlink(package.observer.path)
      try package.write("toolchain/clang", "#!/bin/sh\nexit 0\n")
      try package.write("toolchain/swiftc", "#!/bin/sh\nexit 0\n")
      if fault != "nothing made" {
        try package.write("toolchain/\(fault)", "#!/bin/sh\necho 'too old'\nexit 1\n")
      }
      let made = try await make(package)
      let error = #expect(throws: SwiftTestsError.self) { try made.catalog.get() }
      #expect(error?.code == .observerFailed)
      if fault != "nothing made" {
        #expect(error?.output == "too old\n")
        #expect(error?.message.contains(fault) == true)
      }
    }
  }
}

/// Keeps what the build prints.
private final class BuildListener: RunListener {
  private(set) var output = ""

  func buildDidPrint(_ bytes: UnsafeRawBufferPointer) {
    output += String(decoding: bytes, as: UTF8.self)
  }

  func runDid(_ event: RunEvent, state: RunState) {}
  func testIsSlow(_ test: TestID, seconds: Double) {}
}
