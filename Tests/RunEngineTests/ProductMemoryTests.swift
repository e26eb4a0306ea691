import Glibc
import Orchestration
import RunModel
import SwiftTests
import SystemFiles
import TestSupport
import Testing
import Workers

@testable import RunEngine

@Suite struct ProductMemoryTests {
  /// A folder with an executable and room for a cache.
  struct Fixture {
    let folder: TemporaryFolder
    let product: TestProduct
    let observer: ObserverLibrary
    var cache: String { folder.path(of: "cache") }

    init(executable: String = "A ä.xctest") throws {
      folder = try TemporaryFolder(name: "päckage")
      product = TestProduct(name: "A", executable: folder.path(of: executable))
      try writeSmallFile(product.executable, Array("first".utf8), mode: 0o700)
      observer = ObserverLibrary(
        toolchain: Toolchain(binFolder: "/nowhere/bin"), cache: folder.path(of: "cache"))
    }

    var identity: String? { ProductMemory.identity(of: product, observer: observer) }
  }

  static let memory = ProductMemory(
    identity: "1 2 3",
    tests: [
      TestDescriptor(id: TestID(product: "A", library: .xctest, name: "M.C/testIt")),
      TestDescriptor(
        id: TestID(product: "A", library: .testing, name: "M.`a/b \n \"c\"`(_:)"),
        displayName: "ä 🦊", location: SourceLocation(file: "/s/T.swift", line: 3, column: 4),
        isParameterized: true, tags: [".slow"], libraryID: "M.x/T.swift:3:4"),
    ],
    warnings: ["C inherits"],
    measurements: [
      GroupMeasurement(
        product: "A", library: .xctest, secondsPerTest: 0.125, startCost: 0.25, tests: 7)
    ], slowTests: ["A:xctest:M.C/testIt": 1.5])

  @Test func whatIsRememberedComesBack() throws {
    let fixture = try Fixture()
    #expect(ProductMemory(of: fixture.product, in: fixture.cache) == nil)
    Self.memory.save(for: fixture.product, in: fixture.cache)
    let read = try #require(ProductMemory(of: fixture.product, in: fixture.cache))
    #expect(read.identity == Self.memory.identity)
    #expect(read.tests == Self.memory.tests)
    #expect(read.warnings == Self.memory.warnings)
    #expect(read.measurements == Self.memory.measurements)
    #expect(read.slowTests == Self.memory.slowTests)
    // Nothing half-written lies beside it, and nobody else can read or write it.
    let products = fixture.cache + "/products"
    let names = try #require(folderEntries(products))
    #expect(Set(names.map { $0.split(separator: ".").last }) == ["json", "tests"])
    #expect(names.count == 2)
    var info = stat()
    for name in names {
      #expect(stat("\(products)/\(name)", &info) == 0 && info.st_mode & 0o777 == 0o600)
    }
    #expect(stat(products, &info) == 0 && info.st_mode & 0o777 == 0o700)
  }

  @Test func productsOfOneNameDoNotShareAMemory() throws {
    let fixture = try Fixture()
    let other = TestProduct(name: "A", executable: fixture.folder.path(of: "other/A.xctest"))
    Self.memory.save(for: fixture.product, in: fixture.cache)
    #expect(ProductMemory(of: other, in: fixture.cache) == nil)
  }

  @Test(arguments: ["", "{", "[]", "{\"identity\":\"1 2 3\"}", "\u{0}"])
  func garbageIsForgotten(text: String) throws {
    let fixture = try Fixture()
    Self.memory.save(for: fixture.product, in: fixture.cache)
    let names = try #require(folderEntries(fixture.cache + "/products"))
    let json = try #require(names.first { $0.hasSuffix(".json") })
    try writeSmallFile("\(fixture.cache)/products/\(json)", Array(text.utf8))
    #expect(ProductMemory(of: fixture.product, in: fixture.cache) == nil)
    Self.memory.save(for: fixture.product, in: fixture.cache)
    #expect(ProductMemory(of: fixture.product, in: fixture.cache)?.identity == "1 2 3")
  }

  /// Times are believed without the tests, and tests only with the identity that they were listed
  /// with.
  @Test(arguments: ["", "1 2 3\n", "1 2 3\nA\n\n", "9 9 9\nA\n", "1 2 3\nA\n{}\n", "\u{0}"])
  func garbageInPlaceOfTestsIsForgotten(text: String) throws {
    let fixture = try Fixture()
    Self.memory.save(for: fixture.product, in: fixture.cache)
    let names = try #require(folderEntries(fixture.cache + "/products"))
    let tests = try #require(names.first { $0.hasSuffix(".tests") })
    try writeSmallFile("\(fixture.cache)/products/\(tests)", Array(text.utf8))
    let read = try #require(ProductMemory(of: fixture.product, in: fixture.cache))
    #expect(read.tests == [] && read.identity == "")
    #expect(read.measurements == Self.memory.measurements)
  }

  @Test func testsStayWhenOnlyTimesAreNew() throws {
    let fixture = try Fixture()
    Self.memory.save(for: fixture.product, in: fixture.cache)
    var next = Self.memory
    next.tests = []
    next.slowTests = ["A:xctest:M.C/testIt": 2.5]
    next.save(for: fixture.product, in: fixture.cache, isListed: false)
    let read = try #require(ProductMemory(of: fixture.product, in: fixture.cache))
    #expect(read.tests == Self.memory.tests && read.slowTests == next.slowTests)
  }

  @Test func anyTestComesBack() throws {
    let texts = ["", "a", "ä\u{301}", "a\nb", "a\u{1F}b", "a\u{1E}b", "{", "\u{0}", "\r\n", "🦊"]
    for seed in 0..<500 {
      var generator = SeededGenerator(seed: seed)
      func any() -> String { texts.randomElement(using: &generator) ?? "" }
      let tests = (0..<4).map { _ in
        TestDescriptor(
          id: TestID(
            product: generator.chance(0.9) ? "A" : "B",
            library: generator.chance(0.5) ? .xctest : .testing, name: any() + "n"),
          displayName: generator.chance(0.5) ? any() : nil,
          location: generator.chance(0.5)
            ? SourceLocation(
              file: any(), line: Int.random(in: -1...9, using: &generator),
              column: generator.chance(0.5) ? 3 : nil) : nil,
          isParameterized: generator.chance(0.5), tags: (0..<2).map { _ in any() },
          libraryID: any(), usesIntents: generator.chance(0.5))
      }
      let text = try #require(RememberedTests(identity: "i", product: "A", tests: tests).text)
      let read = try #require(RememberedTests(reading: text))
      #expect(read.tests == tests && read.identity == "i" && read.product == "A")
    }
  }

  @Test func aCacheThatCannotBeWrittenIsNoError() throws {
    let fixture = try Fixture()
    try writeSmallFile(fixture.cache, Array("a file".utf8))
    Self.memory.save(for: fixture.product, in: fixture.cache)
    #expect(ProductMemory(of: fixture.product, in: fixture.cache) == nil)
    #expect(readSmallFile(fixture.cache) == Array("a file".utf8))
  }

  @Test func unchangedExecutableKeepsItsIdentity() throws {
    let fixture = try Fixture()
    let first = try #require(fixture.identity)
    #expect(fixture.identity == first)
    #expect(readSmallFile(fixture.product.executable) == Array("first".utf8))
    #expect(fixture.identity == first)
  }

  /// Everything that can be done to an executable, with its times set back as far as they can be.
  static let changes: [(name: String, change: @Sendable (String) -> Void)] = [
    ("other size", { try? writeSmallFile($0, Array("second".utf8)) }),
    ("mode", { chmod($0, 0o755) }),
    (
      "another file of that size",
      { path in
        try? writeSmallFile(path + ".new", Array("other".utf8), mode: 0o700)
        rename(path + ".new", path)
      }
    ),
    (
      "time of content",
      { path in
        var times = [timespec(tv_sec: 9, tv_nsec: 0), timespec(tv_sec: 9, tv_nsec: 0)]
        utimensat(AT_FDCWD, path, &times, 0)
      }
    ),
  ]

  @Test(arguments: changes.indices) func changedExecutableHasAnotherIdentity(index: Int) throws {
    let fixture = try Fixture()
    let first = try #require(fixture.identity)
    Self.changes[index].change(fixture.product.executable)
    #expect(fixture.identity != nil && fixture.identity != first, "\(Self.changes[index].name)")
  }

  @Test func anotherObserverIsAnotherIdentity() throws {
    let fixture = try Fixture()
    let other = ObserverLibrary(
      toolchain: Toolchain(binFolder: "/other/bin"), cache: fixture.cache)
    #expect(ProductMemory.identity(of: fixture.product, observer: other) != fixture.identity)
  }

  @Test func whatCannotBeToldApartHasNoIdentity() throws {
    let fixture = try Fixture()
    unlink(fixture.product.executable)
    #expect(fixture.identity == nil)
    // The runner of a library: the runner stays the same when the tests change.
    #expect(try Fixture(executable: "A-test-runner").identity == nil)
  }
}
