import FoundationEssentials
import Glibc
import RunEngine

/// `carrel doctor`.
enum DoctorCommand {
  static let spec = CommandSpec(
    name: "doctor", summary: "check what this machine gives Carrel, and say how to mend it",
    positionals: ["[PACKAGE]"],
    options: [
      OptionSpec("--format", value: "text|json", help: "form of the output (default: text)")
    ],
    discussion: """
      Makes a sandbox and tries to leave it, among others; changes nothing.
      Exit status: 0 when tests can be run, also with warnings; 6 when something is missing.
      """)

  static func run(_ parsed: ParsedArguments, _ context: CommandContext) throws -> ExitCode {
    let isJSON = try parsed.choice("--format", of: ["text", "json"]) == "json"
    let package = parsed.positionals.first.map { context.absolute($0) }
    if let package, access(package, F_OK) != 0 {
      throw CommandError(.usage, "there is no folder '\(package)'")
    }
    let findings = MachineCheck(
      environment: context.environment, package: package ?? context.enclosingPackage(),
      workFolder: try context.workFolder()
    ).findings()
    if isJSON {
      try context.printJSON(findings)
    } else {
      for line in lines(findings) { context.output.print(line) }
    }
    return findings.contains { $0.status == .failure } ? .environment : .success
  }

  /// A line for each finding, with what to do below it.
  static func lines(_ findings: [MachineCheck.Finding]) -> [String] {
    let width = findings.map(\.name.count).max() ?? 0
    return findings.flatMap { finding in
      let word =
        switch finding.status {
        case .ok: "ok     "
        case .warning: "WARNING"
        case .failure: "FAILURE"
        }
      let name = finding.name + String(repeating: " ", count: width - finding.name.count)
      let line = "\(word)  \(name)  \(finding.message)"
      return [line] + (finding.fix.map { ["         fix: \($0)"] } ?? [])
    }
  }
}
