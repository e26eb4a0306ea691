import Glibc
import IntentMetadata
import MetadataFiles
import RunEngine
import SwiftTests

/// The metadata of one app, wherever it is from.
struct MetadataSubject {
  /// By what expectations know it: its bundle identifier, or its name.
  var key: String
  /// What people call it.
  var name: String
  /// Names and values for people.
  var facts: [(String, String)]
  var declared: DeclaredMetadata
  var surroundings: MetadataSurroundings
  /// What was found in a build; `nil` for a package.
  var found: FoundMetadata?

  init(_ found: FoundMetadata, root: String) {
    self.found = found
    key = found.bundleIdentifier ?? found.name
    name = found.displayName
    facts = []
    if !found.path.isEmpty { facts.append(("in", found.path)) }
    if let version = found.version { facts.append(("version", version)) }
    if let version = found.toolsVersion { facts.append(("tools", version)) }
    declared = DeclaredMetadata(found.metadata)
    surroundings = found.surroundings(isRelease: true)
  }

  init(_ app: MetadataExtraction.App, strings: [String: Set<String>]?, isRelease: Bool) {
    key = app.bundleIdentifier ?? app.name
    name = app.bundleIdentifier.map { "\(app.name) (\($0))" } ?? app.name
    facts = []
    declared = app.declared
    surroundings = MetadataSurroundings()
    surroundings.strings = strings
    surroundings.isRelease = isRelease
  }
}

extension MetadataSubject {
  /// The metadata of a package, which is built, or of a build.
  ///
  /// - Returns: `nil` when a signal asked for the end.
  /// - Throws: What extraction and finding throw; ``CommandError`` when nothing is declared.
  static func read(
    _ path: String, _ parsed: ParsedArguments, _ context: CommandContext
  ) throws -> [MetadataSubject]? {
    let path = context.absolute(path)
    guard access(path + "/Package.swift", F_OK) == 0 else {
      return try MetadataFinder.find(path).map { MetadataSubject($0, root: path) }
    }
    let extraction = try extract(path, parsed, context)
    guard extraction.interruption == nil else { return nil }
    guard !extraction.apps.isEmpty else {
      throw CommandError(
        .nothingMatched,
        "the package at \(context.shown(path)) declares no App Intents: no type in its products "
          + "conforms to AppIntent, AppEntity, AppEnum, EntityQuery or AppShortcutsProvider")
    }
    let strings = PackageStrings.keys(in: path)
    let isRelease = parsed.string("--configuration") == "release"
    return extraction.apps.map { MetadataSubject($0, strings: strings, isRelease: isRelease) }
  }

  static func extract(
    _ package: String, _ parsed: ParsedArguments, _ context: CommandContext
  ) throws -> MetadataExtraction.Outcome {
    let configuration = try PackageOptions.configuration(parsed, package: package, context)
    return try MetadataExtraction(
      configuration, version: carrelVersion, listener: BuildPrinter(context.errors)
    ).perform()
  }
}
