import Evidence
import FoundationEssentials
import Glibc
import RunEngine
import RunModel
import SwiftTests
import SystemFiles

/// `carrel toolchain`.
enum ToolchainCommand {
  static let spec = CommandSpec(
    name: "toolchain", summary: "pin a package's toolchain in a file, or compare it with one",
    positionals: ["pin|verify", "[PACKAGE]"],
    options: [
      OptionSpec(
        "--against", value: "PATH",
        help: "verify: compare with what this failure bundle or manifest says (default: "
          + "PACKAGE/\(ToolchainManifest.name))"),
      OptionSpec(
        "--output", value: "FILE",
        help: "pin: write this file (default: PACKAGE/\(ToolchainManifest.name))"),
      OptionSpec(
        "--with-build", help: "pin: take in digests of the test products and apps, too"),
      OptionSpec("--format", value: "text|json", help: "form of the output (default: text)"),
    ] + PackageOptions.specs,
    rest: "flags for 'swift build'",
    discussion: """
      pin      build the tests and write down compiler, system and the runtime libraries that tests
               and apps load; to be checked in
      verify   print what is different here, the most telling first; builds nothing

      'pin' takes the toolchain of --toolchain, of .swift-version or the first on PATH, whatever is
      pinned. Exit status of 'verify': 0 when nothing that counts is different, 6 when a difference
      is an error under the policy, 2 when there is nothing to compare with.
      """)

  static func run(_ parsed: ParsedArguments, _ context: CommandContext) throws -> ExitCode {
    let isJSON = try parsed.choice("--format", of: ["text", "json"]) == "json"
    guard let action = parsed.positionals.first else {
      throw UsageError(message: "what shall be done? carrel toolchain pin|verify [PACKAGE]")
    }
    guard ["pin", "verify"].contains(action) else {
      throw UsageError(
        message: "there is no 'carrel toolchain \(action)'; there are pin and verify")
    }
    for (name, owner) in [("--against", "verify"), ("--output", "pin"), ("--with-build", "pin")]
    where parsed.has(name) && action != owner {
      throw UsageError(message: "\(name) is for 'carrel toolchain \(owner)'")
    }
    var package = try PackageOptions.configuration(
      parsed, package: parsed.positionals.dropFirst().first, context)
    try ConfigurationFile.read(into: &package, parsed, context)
    return action == "pin"
      ? try pin(package, parsed, isJSON: isJSON, context)
      : try verify(package, parsed, isJSON: isJSON, context)
  }

  // MARK: pin

  private static func pin(
    _ package: PackageConfiguration, _ parsed: ParsedArguments, isJSON: Bool,
    _ context: CommandContext
  ) throws -> ExitCode {
    let path =
      parsed.string("--output").map { context.absolute($0) }
      ?? "\(package.location.package)/\(ToolchainManifest.name)"
    context.writeInBackground()
    let outcome = try ToolchainPin(
      package, workFolder: try context.workFolder(), listener: BuildPrinter(context.errors)
    ).perform(withBuild: parsed.has("--with-build"))
    if let signal = outcome.interruption { return ExitCode(signal: signal) }
    for problem in outcome.problems { context.complain("\(problem.message)") }
    let old = try? ToolchainManifest(readingFrom: path)
    let bytes = try outcome.manifest.bytes
    do throws(FileError) {
      try writeFileAtomically(bytes, to: path)
    } catch {
      throw CommandError(.notWritten, "the manifest could not be written: \(error)")
    }
    let new = outcome.manifest.facts
    let changes = old.map { new.differences(from: $0.facts) } ?? []
    if isJSON {
      try context.printJSON(
        Pinned(
          path: path, toolchain: outcome.toolchain, facts: new, changed: changes.map(\.fact)))
    } else {
      context.output.print(
        "pinned \(outcome.toolchain) with \(new.values.count) facts in \(context.shown(path))")
      for change in changes {
        context.output.print(
          "  \(change.fact): was \(change.wanted), is \(change.found ?? "not there")")
      }
    }
    return .success
  }

  private struct Pinned: Encodable {
    var path: String
    var toolchain: String
    var facts: ToolchainFacts
    var changed: [String]
  }

  // MARK: verify

  private static func verify(
    _ package: PackageConfiguration, _ parsed: ParsedArguments, isJSON: Bool,
    _ context: CommandContext
  ) throws -> ExitCode {
    let own = "\(package.location.package)/\(ToolchainManifest.name)"
    let path = parsed.string("--against").map { context.absolute($0) } ?? own
    guard parsed.has("--against") || access(own, F_OK) == 0 else {
      throw CommandError(
        .usage,
        "there is no \(context.shown(own)); 'carrel toolchain pin' writes it, --against compares "
          + "with a bundle or another file")
    }
    let wanted = try facts(at: path)
    let policy = package.toolchain.policy
    let outcome = try ToolchainVerification(package).perform(against: wanted)
    let rows = outcome.differences.map { Row($0, $0.weight(policy)) }
    if isJSON {
      try context.printJSON(
        Verified(
          against: path, policy: policy, toolchain: outcome.toolchain, reason: outcome.reason,
          missing: outcome.missing, compared: outcome.compared, differences: rows,
          unknown: outcome.unknown))
    } else {
      let against = context.shown(path)
      for line in lines(outcome, rows, against: against, policy) { context.output.print(line) }
    }
    return rows.contains { $0.weight == .error } ? .environment : .success
  }

  /// The facts of a manifest or of a bundle.
  private static func facts(at path: String) throws -> ToolchainFacts {
    if isManifest(path) { return try ToolchainManifest(readingFrom: path).facts }
    let manifest = try BundleReader(path: path).manifest()
    guard let details = manifest.toolchainDetails else {
      throw CommandError(
        .usage,
        "the bundle \(path) does not say what it was built with: an older version of Carrel has "
          + "written it")
    }
    return details.facts
  }

  /// Whether a file begins like a manifest.
  private static func isManifest(_ path: String) -> Bool {
    if path.hasSuffix(".json") { return true }
    guard let file = try? OwnedDescriptor(opening: path, O_RDONLY | O_NONBLOCK) else {
      return false
    }
    var first: UInt8 = 0
    return read(file.number, &first, 1) == 1 && first == UInt8(ascii: "{")
  }

  /// What a person reads.
  static func lines(
    _ outcome: ToolchainVerification.Outcome, _ rows: [Row], against: String,
    _ policy: ToolchainPolicy
  ) -> [String] {
    var lines = [
      "toolchain: \(outcome.toolchain) (\(outcome.reason))",
      "against:   \(against), policy \(policy.rawValue)",
    ]
    if let missing = outcome.missing { lines.append("missing:   \(missing)") }
    let width = rows.map(\.fact.count).max() ?? 0
    for row in rows {
      let word =
        switch row.weight {
        case .error: "ERROR  "
        case .warning: "WARNING"
        case .ignored: "ignored"
        }
      let name = row.fact + String(repeating: " ", count: width - row.fact.count)
      lines.append(
        "\(word)  \(name)  \(row.wanted) is wanted, \(row.found ?? "nothing") was found")
    }
    if !outcome.unknown.isEmpty {
      lines.append("not known to this version: \(outcome.unknown.joined(separator: ", "))")
    }
    lines.append(
      "\(outcome.compared - rows.count) of \(outcome.compared) facts are the same")
    return lines
  }

  /// A difference with what it counts as.
  struct Row: Encodable {
    var fact: String
    var wanted: String
    var found: String?
    var weight: ToolchainDifferenceWeight

    init(_ difference: ToolchainDifference, _ weight: ToolchainDifferenceWeight) {
      fact = difference.fact
      wanted = difference.wanted
      found = difference.found
      self.weight = weight
    }
  }

  private struct Verified: Encodable {
    var against: String
    var policy: ToolchainPolicy
    var toolchain: String
    var reason: String
    var missing: String?
    var compared: Int
    var differences: [Row]
    var unknown: [String]
  }
}
