import Evidence
import RunEngine
import RunModel
import SwiftTests

/// `carrel archive`.
enum ArchiveCommand {
  static let spec = CommandSpec(
    name: "archive", summary: "build a package's tests and pack them, to be run elsewhere",
    positionals: ["[PACKAGE]", "[FILE]..."],
    options: [
      OptionSpec("--output", value: "FILE", help: "the archive; one that is there is replaced"),
      OptionSpec(
        "--compression", value: "none|gzip|zstd",
        help: "compression of the archive (default: what FILE's name says, .tar, .tar.gz or "
          + ".tar.zst; else zstd)"),
      OptionSpec(
        "--include", value: "PATH", isRepeatable: true,
        help: "a file or folder of the package that tests need when they run; packed with "
          + "everything in it"),
      OptionSpec(
        "--with-runtime",
        help: "pack the libraries of the toolchain that the tests load, for machines without them"),
      ConfigurationFile.spec,
    ] + PackageOptions.specs,
    rest: "flags for 'swift build'",
    discussion: """
      carrel archive [PACKAGE] --output FILE   packs test products, apps, programs, libraries,
                                               resources, configuration and the list of tests
      carrel archive verify FILE...            whether every byte is what was packed

      'carrel run --archive FILE' runs them, 'carrel list --archive FILE' lists them, and
      'carrel repro BUNDLE --archive FILE' runs one again that failed; see docs/run-archive.md.
      The same build gives the same bytes. Exit status: as of 'carrel run' as far as it gets; 7 when
      something cannot be packed; of verify 8 when an archive is damaged, cut off or none.
      """)

  static func run(_ parsed: ParsedArguments, _ context: CommandContext) throws -> ExitCode {
    let words = parsed.positionals
    if words.first == "verify" { return try verify(parsed, context) }
    guard words.count < 2 else {
      throw UsageError(
        message: "unexpected argument '\(words[1])'; 'carrel archive' packs one package, "
          + "'carrel archive verify' reads archives")
    }
    guard let output = parsed.string("--output") else {
      throw UsageError(
        message: "where shall it be written? carrel archive [PACKAGE] --output FILE")
    }
    var package = try PackageOptions.configuration(parsed, package: words.first, context)
    let configuration = try ConfigurationFile.read(into: &package, parsed, context)
    let path = context.absolute(output)
    let includes = parsed.all("--include").map { word in
      word.hasPrefix("/") ? word : "\(package.location.package)/\(word)"
    }
    context.writeInBackground()
    let request = ArchiveMaker.Request(
      package: package, carrel: carrelVersion, path: path,
      compression: try compression(parsed, path), configuration: configuration,
      includes: includes, withRuntime: parsed.has("--with-runtime"))
    let outcome = try ArchiveMaker(
      request, workFolder: try context.workFolder(), listener: BuildPrinter(context.errors)
    ).perform()
    return try tell(outcome, of: output, context)
  }

  private static func tell(
    _ outcome: ArchiveMaker.Outcome, of output: String, _ context: CommandContext
  ) throws -> ExitCode {
    for problem in outcome.problems {
      context.complain((problem.severity == .warning ? "warning: " : "") + problem.message)
      if let output = problem.output { context.errors.print(output) }
    }
    if let signal = outcome.interruption { return ExitCode(signal: signal) }
    if outcome.problems.contains(where: { $0.severity == .error }) { return .listingFailed }
    guard let archive = outcome.archive else {
      throw CommandError(.nothingMatched, "the package has no tests; nothing was packed")
    }
    for note in archive.notes where note.kind == .special {
      context.complain("warning: not packed: \(BundleCommand.text(note))")
    }
    context.output.print(
      "packed \(outcome.tests) \(outcome.tests == 1 ? "test" : "tests"): \(archive.entries) "
        + "entries, \(archive.contentBytes) bytes of files in \(archive.bytes) bytes, "
        + ByteName(output).displayName)
    return .success
  }

  private static func compression(
    _ parsed: ParsedArguments, _ path: String
  ) throws(UsageError) -> BundleCompression {
    let words = BundleCompression.allCases.map(\.rawValue)
    if let given = try parsed.choice("--compression", of: words) {
      return BundleCompression(rawValue: given) ?? .zstd
    }
    if path.hasSuffix(".tar") { return .none }
    return path.hasSuffix(".gz") || path.hasSuffix(".tgz") ? .gzip : .zstd
  }

  /// - Returns: The highest of the archives' statuses.
  private static func verify(
    _ parsed: ParsedArguments, _ context: CommandContext
  ) throws -> ExitCode {
    let paths = parsed.positionals.dropFirst()
    guard !paths.isEmpty else {
      throw UsageError(message: "which archive? carrel archive verify FILE...")
    }
    for name in spec.options.map({ $0.names[0] }) where parsed.has(name) {
      throw UsageError(message: "'carrel archive verify' takes no \(name)")
    }
    let codes = paths.map { path -> ExitCode in
      let name = paths.count > 1 ? "\(ByteName(path).displayName): " : ""
      do {
        let whole = try RunArchiveReader(path: context.absolute(path)).verify()
        context.output.print(
          "\(name)whole: \(whole.manifest.tests) tests, \(whole.entries) entries, \(whole.bytes) "
            + "bytes of files, contents \(whole.digest)")
        return .success
      } catch {
        let error = CommandError(error)
        context.complain(error.message)
        return error.exitCode
      }
    }
    return codes.max { $0.rawValue < $1.rawValue } ?? .success
  }
}
