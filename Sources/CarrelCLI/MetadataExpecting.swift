import Glibc
import IntentMetadata
import IntentWire
import Reporting
import SystemFiles

/// `carrel metadata expect`.
struct MetadataExpecting {
  private static let maxBytes = 16 << 20

  private let isJSON: Bool
  private let parsed: ParsedArguments
  private let context: CommandContext

  init(_ parsed: ParsedArguments, _ context: CommandContext) throws {
    self.parsed = parsed
    self.context = context
    isJSON = try parsed.choice("--format", of: ["text", "json"]) == "json"
  }

  /// - Returns: `nil` when a signal asked for the end.
  func perform(_ path: String) throws -> ExitCode? {
    let file = self.file(path)
    // What is wrong with the file is told before a package is built.
    let expectation = parsed.has("--write") ? nil : try read(file)
    guard let subjects = try MetadataSubject.read(path, parsed, context) else { return nil }
    guard let expectation else { return try write(subjects, to: file) }
    var differences: [MetadataExpectation.Difference] = []
    let found = Dictionary(
      subjects.map { ($0.key, $0.declared.metadata) }, uniquingKeysWith: { first, _ in first })
    for app in Set(expectation.apps.keys).union(found.keys).sorted() {
      differences += expectation.differences(of: app, in: found[app] ?? .empty)
    }
    print(differences)
    let fails = differences.contains { $0.isMissing || parsed.has("--exact") }
    return fails ? .testsFailed : .success
  }

  private func file(_ path: String) -> String {
    if let given = parsed.string("--file") { return context.absolute(given) }
    let path = context.absolute(path)
    let isPackage = access(path + "/Package.swift", F_OK) == 0
    return (isPackage ? path : context.enclosingPackage()) + "/\(MetadataCommand.expectationsName)"
  }

  private func read(_ path: String) throws -> MetadataExpectation {
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try readFile(path, maxBytes: Self.maxBytes)
    } catch {
      throw CommandError(
        .usage,
        "the file of expectations cannot be read: \(error); 'carrel metadata expect --write' "
          + "makes one"
      )
    }
    do throws(MetadataError) {
      return try MetadataExpectation(reading: bytes)
    } catch {
      throw CommandError(.usage, "\(context.shown(path)): \(error)")
    }
  }

  private func write(_ subjects: [MetadataSubject], to path: String) throws -> ExitCode {
    let apps = Dictionary(
      subjects.map { ($0.key, MetadataExpectation.App($0.declared.metadata)) },
      uniquingKeysWith: { first, _ in first })
    do throws(FileError) {
      try writeFileAtomically(
        Array(MetadataExpectation(apps: apps).json.prettyText.utf8), to: path)
    } catch {
      throw CommandError(.notWritten, "the file of expectations could not be written: \(error)")
    }
    let intents = apps.values.reduce(0) { $0 + $1.intents.count }
    context.output.print(
      messageText(
        "\(context.shown(path)): \(apps.count) app\(apps.count == 1 ? "" : "s"), \(intents) intents"
      ))
    return .success
  }

  private func print(_ differences: [MetadataExpectation.Difference]) {
    if isJSON {
      let document: WireJSON = [
        "format": "1.0",
        "differences": .array(
          differences.map {
            [
              "app": .string($0.app), "missing": .bool($0.isMissing), "item": .string($0.message),
            ]
          }),
      ]
      context.writeJSON(document.prettyText)
      return
    }
    for difference in differences {
      context.output.print(
        messageText(
          "\(difference.app): \(difference.isMissing ? "missing" : "not expected"): "
            + difference.message))
    }
    if differences.isEmpty {
      context.output.print("everything expected is there, and nothing else")
    }
  }
}
