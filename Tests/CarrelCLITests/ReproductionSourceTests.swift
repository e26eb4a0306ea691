import Evidence
import RunModel
import SystemFiles
import TestSupport
import Testing

@testable import CarrelCLI

/// What a reproduction can be made from, and what it is told when it cannot.
@Suite struct ReproductionSourceTests {
  private let folder: TemporaryFolder
  private var context: CommandContext {
    var context = CommandContext(environment: [:])
    context.folder = folder.path
    return context
  }

  init() throws { folder = try TemporaryFolder(name: "änder é") }

  /// Packs a failure that came from a run archive.
  private func bundle() throws -> BundleReader {
    let test = TestID(product: "P", library: .xctest, name: "M.C/t")
    let attempt = AttemptResult(
      test: test, attempt: 1, batch: 1, worker: 1, verdict: .failed, startedAt: 0, duration: 0)
    let manifest = BundleManifest(
      carrel: "0", runID: "r", attempt: attempt, predecessors: [], package: "P", toolchain: "t",
      runtime: "r", hostName: "h", fixtureToken: nil, isolation: "directories", timeLimit: nil)
    var header = RunHeader(
      runID: "r", carrel: "0", packagePath: folder.path(of: "gone"), arguments: [], workers: 1,
      batch: "1", retries: 0, timeLimit: nil, leaksFail: true, isolation: "directories", seed: "s",
      toolchain: "t", hostName: "h", passedVariables: [])
    header.archive = ArchiveReference(path: "/a/päck.tar.zst", digest: "sha256:1")
    let path = folder.path(of: "b.tar")
    try FailureBundle.write(
      BundleContents(
        manifest: manifest,
        entries: [
          .init(
            BundlePaths.events,
            .bytes(try encodedJSON(RunEvent(time: 0, .runStarted(header))) + [10])),
          .init("logs/stdout.log", .bytes([UInt8](repeating: 65, count: 4096))),
        ], redaction: .off), to: path, compression: .none)
    return BundleReader(path: path)
  }

  @Test func anArchiveIsAskedForWhereNoPackageIs() throws {
    let failure = try OriginalFailure(try bundle())
    let error = #expect(throws: UsageError.self) {
      try ReproductionSource(given: nil, isArchive: false, failure, context)
    }
    #expect(error?.message.contains("the run archive '/a/päck.tar.zst'") == true)
    #expect(error?.message.contains("carrel repro BUNDLE --archive FILE") == true)
    #expect(try ReproductionSource(given: nil, isArchive: true, failure, context).path == nil)
    #expect(try ReproductionSource(given: "x", isArchive: false, failure, context).path == "x")
    try writeSmallFile(folder.path(of: "Package.swift"), [])
    #expect(try ReproductionSource(given: nil, isArchive: false, failure, context).path == nil)
  }

  @Test func aFileIsNoPackage() throws {
    let path = try bundle().path
    let parsed = try ParsedArguments([path, path], spec: ReproCommand.spec)
    let error = #expect(throws: UsageError.self) { try ReproCommand.run(parsed, context) }
    #expect(error?.message.hasPrefix("repro takes one bundle and a package, and '") == true)
  }

  /// Something is offered only where it helps.
  @Test func whatCannotBeReadIsNotOffered() throws {
    let bundle = try bundle()
    let whole = try #require(readSmallFile(bundle.path))
    #expect(ReproCommand.isUsable(bundle))
    func complaint(_ bytes: [UInt8]) throws -> String? {
      try writeSmallFile(folder.path(of: "c.tar"), bytes)
      let parsed = try ParsedArguments([folder.path(of: "c.tar")], spec: ReproCommand.spec)
      return #expect(throws: CommandError.self) { try ReproCommand.run(parsed, context) }?.message
    }
    let cut = try #require(try complaint(Array(whole.prefix(1024))))
    #expect(!cut.contains("--force"), "\(cut)")
    #expect(cut.ranges(of: "cut off").count == 1, "\(cut)")
    // A byte of the log is another one.
    var damaged = whole
    let byte = try #require(
      whole.lastIndex(of: 65).flatMap { end in
        whole[..<end].lastIndex { $0 != 65 }.map { $0 + 1 }
      })
    damaged[byte] = 66
    let other = try #require(try complaint(damaged))
    #expect(other.hasSuffix("; --force uses it all the same"), "\(other)")
  }
}
