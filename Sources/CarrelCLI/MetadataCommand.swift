import Glibc
import IntentMetadata
import IntentWire
import MetadataFiles
import Reporting
import RunEngine
import SystemFiles

/// `carrel metadata`.
enum MetadataCommand {
  static let expectationsName = "carrel-intents.json"

  static let spec = CommandSpec(
    name: "metadata",
    summary:
      "show, extract, check, compare and expect the App Intents metadata of builds and packages",
    positionals: ["ACTION", "[PATH]", "[PATH]"],
    options: [
      OptionSpec(
        "--format", value: "text|json|markdown|sarif|github",
        help:
          "form of the output (default: text); show and diff: text, json, markdown; check: text, "
          + "json, sarif, github"),
      OptionSpec(
        "--output", value: "FOLDER",
        help: "extract: write the folders of metadata there (default: "
          + "PACKAGE/.build/carrel-metadata/extracted)"),
      OptionSpec(
        "--rule", value: "RULE=error|warning|note|off", isRepeatable: true,
        help: "check: how bad findings of this rule are"),
      OptionSpec(
        "--baseline", value: "FILE", help: "check: leave out the findings that this file lists"),
      OptionSpec(
        "--write-baseline", help: "check: write what is found into the file of --baseline"),
      ConfigurationFile.checkSpec,
      OptionSpec("--strict", help: "check: warnings count as errors"),
      OptionSpec("--list-rules", help: "check: print all rules and do nothing else"),
      OptionSpec(
        "--file", value: "FILE",
        help: "expect: the file of expectations (default: \(expectationsName) in PATH's package or "
          + "the current folder)"),
      OptionSpec("--write", help: "expect: write the file from what is there now"),
      OptionSpec("--exact", help: "expect: what nobody expects is a failure, too"),
    ] + PackageOptions.specs.filter { !["--listing-timeout", "--pass-env"].contains($0.names[0]) },
    rest: "flags for 'swift build'",
    discussion: """
      show PATH      what an app offers: intents, entities, enumerations, App Shortcuts
      extract PATH   make a package's metadata, as Xcode does for an app
      check PATH     look for what builds and devices silently drop, with place and fix
      diff A B       what changed for people, and whether saved shortcuts break
      expect PATH    whether everything is there that a checked-in file lists

      PATH is a package, which is built for it (default: the one around the current folder), or what
      a build made: .app, .appex, .framework, .xcarchive, .ipa, .zip, a Metadata.appintents folder,
      or an extract.actionsdata. Nothing of an archive is written to disk.

      Exit status: 0, or 1 when check finds an error, diff a breaking change, or expect something
      missing; 3 when the package does not build, 4 when there is no metadata, 8 when it cannot be
      read.
      """)

  private static let actions = ["show", "extract", "check", "diff", "expect"]

  /// The options that only some actions have.
  private static let owners: [(option: String, actions: [String])] = [
    ("--output", ["extract"]), ("--rule", ["check"]), ("--baseline", ["check"]),
    ("--write-baseline", ["check"]), ("--strict", ["check"]), ("--list-rules", ["check"]),
    ("--config", ["check"]),
    ("--file", ["expect"]), ("--write", ["expect"]), ("--exact", ["expect"]),
    ("--format", ["show", "check", "diff", "expect", "extract"]),
  ]

  static func run(_ parsed: ParsedArguments, _ context: CommandContext) throws -> ExitCode {
    guard let action = parsed.positionals.first else {
      throw UsageError(
        message: "what shall be done? carrel metadata \(actions.joined(separator: "|")) PATH")
    }
    guard actions.contains(action) else {
      throw UsageError(
        message: "there is no 'carrel metadata \(action)'; there are "
          + actions.joined(separator: ", "))
    }
    for (option, owners) in owners where parsed.has(option) && !owners.contains(action) {
      throw UsageError(
        message: "\(option) is for 'carrel metadata \(owners.joined(separator: "' and '"))'")
    }
    let paths = Array(parsed.positionals.dropFirst())
    let most = action == "diff" ? 2 : 1
    guard paths.count <= most else {
      throw UsageError(
        message: "unexpected argument '\(paths[most])': 'carrel metadata \(action)' takes "
          + (most == 2 ? "two paths" : "one path"))
    }
    let path = paths.first ?? context.enclosingPackage()
    let code: ExitCode?
    switch action {
    case "show": code = try show(path, parsed, context)
    case "extract": code = try MetadataWriter(path, parsed, context).perform()
    case "check":
      var checking = try MetadataChecking(parsed, context)
      code = try checking.perform(path)
    case "expect": code = try MetadataExpecting(parsed, context).perform(path)
    default:
      guard paths.count == 2 else {
        throw UsageError(message: "which two? carrel metadata diff A B")
      }
      code = try diff(paths[0], paths[1], parsed, context)
    }
    guard let code else { return .interruptedByInterrupt }
    return code
  }

  // MARK: show

  private static func show(
    _ path: String, _ parsed: ParsedArguments, _ context: CommandContext
  ) throws -> ExitCode? {
    let format = try parsed.choice("--format", of: ["text", "json", "markdown"]) ?? "text"
    guard let subjects = try MetadataSubject.read(path, parsed, context) else { return nil }
    guard format != "json" else {
      context.writeJSON(json(subjects).prettyText)
      return .success
    }
    let style = MetadataPage.Style(rawValue: format) ?? .text
    let pages = subjects.map {
      MetadataPage.render(
        $0.declared.metadata, title: $0.name, facts: $0.facts, style: style)
    }
    context.output.write(Array(messageText(pages.joined(separator: "\n")).utf8))
    return .success
  }

  private static func json(_ subjects: [MetadataSubject]) -> WireJSON {
    [
      "format": "1.0",
      "apps": .array(
        subjects.map { subject in
          let text = { (text: String?) -> WireJSON in text.map { .string($0) } ?? .null }
          return [
            "name": .string(subject.found?.name ?? subject.name),
            "kind": .string(subject.found?.kind.rawValue ?? "package"),
            "path": .string(subject.found?.path ?? ""),
            "bundleIdentifier": text(
              subject.found == nil
                ? (subject.key == subject.name ? nil : subject.key)
                : subject.found?.bundleIdentifier),
            "version": text(subject.found?.version),
            "toolsVersion": text(subject.found?.toolsVersion),
            "unknownKeys": .object(
              subject.declared.metadata.unknownKeys.sorted { $0.key < $1.key }
                .map { WireJSON.Member($0.key, .int(Int64($0.value))) }),
            "declaredAt": .object(
              subject.declared.locations.map { ($0.key.name, "\($0.value)") }
                .sorted { $0.0 < $1.0 }.map { WireJSON.Member($0.0, .string($0.1)) }),
            "metadata": subject.declared.metadata.json,
          ]
        }),
    ]
  }

  // MARK: diff

  private static func diff(
    _ old: String, _ new: String, _ parsed: ParsedArguments, _ context: CommandContext
  ) throws -> ExitCode? {
    let format = try parsed.choice("--format", of: ["text", "json", "markdown"]) ?? "text"
    guard let before = try MetadataSubject.read(old, parsed, context),
      let after = try MetadataSubject.read(new, parsed, context)
    else { return nil }
    let pairs = try MetadataPairs(before, after)
    let isOne = pairs.pairs.count == 1
    var documents: [WireJSON] = []
    var isBreaking = false
    var count = 0
    for (name, first, second) in pairs.pairs {
      let changes = MetadataComparison.changes(from: first, to: second)
      isBreaking = isBreaking || changes.contains { $0.isBreaking }
      count += changes.count
      if format == "json" {
        documents.append(["app": .string(name), "difference": ChangeReport.json(changes)])
        continue
      }
      guard !changes.isEmpty else { continue }
      if !isOne { context.output.print(messageText(format == "text" ? name : "## \(name)\n")) }
      let text = format == "text" ? ChangeReport.text(changes) : ChangeReport.markdown(changes)
      context.output.write(Array(messageText(text).utf8))
    }
    if format == "json" {
      let document: WireJSON = [
        "format": "1.0", "breaking": .bool(isBreaking), "apps": .array(documents),
      ]
      context.writeJSON(document.prettyText)
    } else if count == 0 {
      context.output.print("no difference for people")
    }
    return isBreaking ? .testsFailed : .success
  }
}

/// The apps of two builds that belong together.
struct MetadataPairs {
  private(set) var pairs: [(name: String, old: AppMetadata, new: AppMetadata)] = []

  /// One app with one; of several those with the same identifier or name. What only one side has is
  /// compared with nothing.
  init(_ old: [MetadataSubject], _ new: [MetadataSubject]) throws {
    if old.count == 1, new.count == 1 {
      pairs = [(new[0].name, old[0].declared.metadata, new[0].declared.metadata)]
      return
    }
    for subject in old {
      let match = new.first { $0.key == subject.key }
      pairs.append(
        (subject.name, subject.declared.metadata, match?.declared.metadata ?? .empty))
    }
    for subject in new where !old.contains(where: { $0.key == subject.key }) {
      pairs.append((subject.name, .empty, subject.declared.metadata))
    }
  }
}
