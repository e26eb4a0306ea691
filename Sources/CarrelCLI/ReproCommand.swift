import Evidence
import Glibc
import RunModel

/// `carrel repro`.
enum ReproCommand {
  /// How often `--until-different` may repeat.
  static let repetitions = 1...100_000

  static let spec = CommandSpec(
    name: "repro", summary: "run the test of a failure bundle again",
    positionals: ["BUNDLE", "[PACKAGE]"],
    options: [
      OptionSpec(
        "--container", value: "auto|fresh|restored",
        help: "start with an empty container, or with the bundle's files; auto: empty if the test "
          + "ran first in its container, else the bundle's; the bundle's for --shell and "
          + "--debugger (default: auto)"),
      OptionSpec(
        "--with-predecessors",
        help: "run the tests that ran before it in its process first, at once (default: when it "
          + "does not fail in the same way alone)"),
      OptionSpec("--alone", help: "do not run the tests that ran before it in its process"),
      OptionSpec(
        "--until-different", value: "N",
        help: "run it up to N times, and stop when it ends otherwise than in the bundle"),
      OptionSpec(
        "--shell", help: "open a shell where the test would run, in its environment"),
      OptionSpec(
        "--debugger", value: "lldb|gdb|PATH", implied: "auto",
        help:
          "open a debugger with the test's process; without a name the toolchain's lldb, or the "
          + "first gdb on PATH"),
      OptionSpec("--timeout", value: "SECONDS", help: "limit for the test (default: as it was)"),
    ] + LimitOptions.specs + [
      OptionSpec("--force", help: "use a bundle that is not whole"), RedactionOption.spec,
      OptionSpec(
        "--build", help: "build also when what failed is still there and nothing was changed"),
      OptionSpec("--format", value: "text|json", help: "form of the output (default: text)"),
      ConfigurationFile.reproductionSpec,
      OptionSpec(
        "--output", value: "PATH", help: "folder of run records (default: PACKAGE/.carrel/runs)"),
      ArchiveOptions.spec,
    ] + IsolationOptions.specs + PackageOptions.specs,
    rest: "flags for 'swift build'",
    discussion: """
      What differs from the original is printed, the most telling first. A toolchain that the policy
      calls an error is 6, and nothing is built.

      Exit status: 0 reproduced (same verdict and same message; with --until-different each time),
      10 passed, 11 failed differently, 12 the test could not be run, 8 the bundle cannot be read;
      with --shell and --debugger that of the shell or debugger; see also 'carrel run --help'.
      """)

  /// How reports say that a test can be run after those that it fails after.
  static let companyAdvice = "carrel repro runs them first when it does not fail alone"

  static func run(_ parsed: ParsedArguments, _ context: CommandContext) throws -> Int32 {
    guard let path = parsed.positionals.first else {
      throw UsageError(message: "which bundle? carrel repro BUNDLE [PACKAGE]")
    }
    try check(parsed)
    try check(package: parsed.positionals.dropFirst().first, context)
    let bundle = BundleReader(path: context.absolute(path))
    let check = try bundle.verify()
    if !check.isWhole {
      let isUsable = isUsable(bundle)
      guard parsed.has("--force"), isUsable else {
        let hint = isUsable ? "; --force uses it all the same" : ""
        throw CommandError(.badBundle, BundleCommand.damage(bundle, check) + hint)
      }
      context.complain("warning: \(BundleCommand.damage(bundle, check))")
    }
    let failure = try OriginalFailure(bundle)
    if let program = try ReproductionProgram(parsed, failure, context) {
      return try program.perform()
    }
    return try Reproduction(failure, parsed, context).perform().rawValue
  }

  /// Whether a bundle that is not whole has what a reproduction reads of it first.
  static func isUsable(_ bundle: BundleReader) -> Bool {
    do {
      _ = try OriginalFailure(bundle)
      _ = try bundle.redactions()
      return true
    } catch {
      return false
    }
  }

  /// Refuses another file where a package is expected.
  private static func check(package: String?, _ context: CommandContext) throws(UsageError) {
    var status = stat()
    guard let package, stat(context.absolute(package), &status) == 0,
      status.st_mode & S_IFMT == S_IFREG
    else { return }
    throw UsageError(
      message: "repro takes one bundle and a package, and '\(ByteName(package).displayName)' is a "
        + "file; a run archive is named with --archive")
  }

  /// Refuses options that do not go together.
  private static func check(_ parsed: ParsedArguments) throws(UsageError) {
    if parsed.has("--alone"), parsed.has("--with-predecessors") {
      throw UsageError(message: "--alone and --with-predecessors cannot be given together")
    }
    let programs = ["--shell", "--debugger"].filter { parsed.has($0) }
    if programs.count > 1 {
      throw UsageError(message: "--shell and --debugger cannot be opened at once; give one of them")
    }
    for name in ["--until-different", "--format", "--timeout"] {
      guard let program = programs.first, parsed.has(name) else { continue }
      throw UsageError(
        message:
          "\(name) is for runs of the test, and \(program) leaves that to you: leave out one "
          + "of them")
    }
    if parsed.has("--build"), parsed.has("--skip-build") {
      throw UsageError(message: "--build and --skip-build contradict each other; give one of them")
    }
  }
}

extension ReproCommand {
  /// Where a path is when a folder that it may lie in is somewhere else now.
  static func moved(_ path: String, from old: String, to new: String) -> String {
    let (bytes, folder) = (Array(path.utf8), Array(old.utf8))
    guard !folder.isEmpty, bytes.starts(with: folder),
      bytes.count == folder.count || bytes[folder.count] == 47
    else { return path }
    return new + String(decoding: bytes.dropFirst(folder.count), as: UTF8.self)
  }
}
