import Glibc
import IntentMetadata
import IntentWire
import Reporting
import RunEngine
import SystemFiles

/// `carrel metadata extract`: writes a package's metadata as Apple's tool lays it out.
struct MetadataWriter {
  private let package: String
  private let output: String
  private let isJSON: Bool
  private let parsed: ParsedArguments
  private let context: CommandContext

  init(_ path: String, _ parsed: ParsedArguments, _ context: CommandContext) throws {
    package = context.absolute(path)
    let scratch = parsed.string("--scratch-path").map { context.absolute($0) }
    output =
      parsed.string("--output").map { context.absolute($0) }
      ?? (scratch ?? "\(package)/.build") + "/carrel-metadata/extracted"
    isJSON = try parsed.choice("--format", of: ["text", "json"]) == "json"
    self.parsed = parsed
    self.context = context
  }

  /// - Returns: `nil` when a signal asked for the end.
  func perform() throws -> ExitCode? {
    guard access(package + "/Package.swift", F_OK) == 0 else {
      throw CommandError(
        .usage,
        "\(context.shown(package)) is no package; 'carrel metadata show' reads what a build made")
    }
    guard let subjects = try MetadataSubject.read(package, parsed, context) else { return nil }
    var written: [WireJSON] = []
    for subject in subjects {
      let folder = "\(output)/\(fileName(subject))/Metadata.appintents"
      do throws(FileError) {
        try makeFolders(folder)
        try writeFileAtomically(
          subject.declared.metadata.json.bytes, to: folder + "/extract.actionsdata")
        try writeFileAtomically(Array(Self.version.prettyText.utf8), to: folder + "/version.json")
      } catch {
        throw CommandError(.notWritten, "the metadata could not be written: \(error)")
      }
      let metadata = subject.declared.metadata
      if isJSON {
        written.append([
          "app": .string(subject.name), "folder": .string(folder),
          "intents": .int(Int64(metadata.intents.count)),
          "shortcuts": .int(Int64(metadata.shortcuts.count)),
          "unknown": .int(Int64(subject.declared.unknowns.count)),
        ])
      } else {
        context.output.print(
          messageText(
            "\(context.shown(folder)): \(metadata.intents.count) intents, "
              + "\(metadata.entities.count) entities, \(metadata.enumerations.count) enumerations, "
              + "\(metadata.shortcuts.count) App Shortcuts"))
      }
      for unknown in subject.declared.unknowns {
        let place = unknown.location.map { "\($0): " } ?? ""
        context.complain(
          "warning: \(place)'\(unknown.member)' of \(unknown.item?.name ?? "the app") is only "
            + "known when the app runs, and is left out")
      }
    }
    if isJSON {
      let document: WireJSON = ["format": "1.0", "written": .array(written)]
      context.writeJSON(document.prettyText)
    }
    return .success
  }

  /// A name of one component.
  private func fileName(_ subject: MetadataSubject) -> String {
    let name = subject.name.prefix { $0 != " " && $0 != "/" }
    return name.isEmpty || name.hasPrefix(".") ? "app" : String(name)
  }

  /// The layout's version is the one that Xcode 15 to 27 write.
  private static let version: WireJSON = [
    "version": "3.0", "toolsVersion": .string("carrel \(carrelVersion)"),
  ]
}
