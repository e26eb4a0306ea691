import Evidence
import Glibc
import IntentWire
import RunEngine
import RunModel
import SwiftTests
import SystemFiles
import Workers

/// A package's `carrel.json`; see docs/configuration.md.
enum ConfigurationFile {
  static let name = "carrel.json"
  private static let format = FormatVersion(major: 1, minor: 0)
  private static let maxBytes = 1 << 20

  static let spec = OptionSpec(
    "--config", value: "PATH", help: "configuration (default: PACKAGE/\(name), if it is there)")
  static let checkSpec = OptionSpec(
    "--config", value: "PATH",
    help: "check: configuration with rules and baseline (default: PACKAGE/\(name), if it is there)")
  static let reproductionSpec = OptionSpec(
    "--config", value: "PATH", help: "configuration (default: that of the bundle's run)")

  /// Takes over what the file says; nothing when there is none.
  ///
  /// Keys that this version does not know are named and otherwise ignored.
  ///
  /// - Parameter recorded: The text that an earlier run had, to be used when the caller names no
  ///   file; `nil` for the package's own file.
  /// - Throws: ``CommandError`` with the status `usage` when the file cannot be read, holds
  ///   something else than it may, or has a newer major version.
  static func read(
    into configuration: inout RunConfiguration, _ configured: inout PackageConfiguration,
    _ arguments: ParsedArguments, recorded: String?? = nil, _ context: CommandContext
  ) throws {
    let package = configured.location.package
    guard
      let (content, text, isRecorded) = try content(
        arguments, of: configured, recorded: recorded, context)
    else { return }
    let extractsMetadata = configuration.intents.extractsMetadata
    configuration.intents = content.intents
    if extractsMetadata { configuration.intents.extractsMetadata = true }
    configuration.isolation = content.isolation
    func absolute(_ path: String) -> String {
      path.hasPrefix("/") ? path : "\(package)/\(path)"
    }
    configuration.isolation.writable = content.isolation.writable.map(absolute)
    configuration.isolation.scratch = content.isolation.scratch.map(absolute)
    // Those of an earlier run are in its record, with what its command line said.
    if !isRecorded {
      configuration.limits = try LimitOptions.limits(arguments, over: content.limits)
    }
    configuration.text = text
    configuration.redaction = content.redaction
    try RedactionOption.take(arguments, into: &configuration)
    try take(content, into: &configured, arguments)
  }

  /// Takes over what counts for a package whose tests are not run.
  ///
  /// - Returns: The text of the file; `nil` when there is none.
  /// - Throws: As ``read(into:_:_:recorded:_:)``.
  @discardableResult
  static func read(
    into configured: inout PackageConfiguration, _ arguments: ParsedArguments,
    _ context: CommandContext
  ) throws -> String? {
    guard
      let (content, text, _) = try content(arguments, of: configured, recorded: nil, context)
    else { return nil }
    try take(content, into: &configured, arguments)
    return text
  }

  /// What the package's file says of the rules of metadata; nothing when there is none.
  ///
  /// - Throws: As ``read(into:_:_:recorded:_:)``.
  static func metadataSettings(
    _ arguments: ParsedArguments, package: String, _ context: CommandContext
  ) throws -> MetadataSettings {
    let configured = PackageConfiguration(
      location: BuildLocation(package: package, scratch: nil, configuration: "debug"),
      environment: context.environment)
    return try content(arguments, of: configured, recorded: nil, context)?.content.metadata
      ?? MetadataSettings()
  }

  /// What the command line says wins.
  private static func take(
    _ content: Content, into configured: inout PackageConfiguration, _ arguments: ParsedArguments
  ) throws(UsageError) {
    guard let policy = content.toolchainPolicy, try ToolchainOptions.given(arguments) == nil else {
      return
    }
    configured.toolchain.policy = policy
  }

  /// - Returns: What the file says, its text, and whether it is that of an earlier run; `nil` when
  ///   there is none.
  private static func content(
    _ arguments: ParsedArguments, of configured: PackageConfiguration, recorded: String??,
    _ context: CommandContext
  ) throws -> (content: Content, text: String, isRecorded: Bool)? {
    let given = arguments.string("--config").map { context.absolute($0) }
    let archive = configured.archive
    let path = given ?? archive?.path ?? "\(configured.location.package)/\(name)"
    do {
      let bytes: [UInt8]
      if given == nil, let recorded {
        guard let recorded else { return nil }
        bytes = Array(recorded.utf8)
      } else if given == nil, let archive {
        guard let packed = archive.configuration else { return nil }
        bytes = packed
      } else {
        // A link that leads nowhere is a mistake, not a missing file.
        var status = stat()
        guard given != nil || lstat(path, &status) == 0 else { return nil }
        bytes = try readFile(path, maxBytes: maxBytes)
      }
      let content = try read(bytes, isRecorded: given == nil && recorded != nil)
      for key in content.unknown { context.complain("warning: \(context.shown(path)): \(key)") }
      return (
        content, String(decoding: bytes, as: UTF8.self), given == nil && recorded != nil
      )
    } catch let error as FileError {
      throw CommandError(.usage, "the configuration cannot be read: \(error)")
    } catch let problem as Problem {
      throw CommandError(.usage, "\(context.shown(path)): \(problem.text)")
    }
  }

  /// Why a text is no configuration.
  struct Problem: Error {
    var text: String
  }

  /// What a file says.
  struct Content {
    var intents = IntentOptions()
    /// Paths are as they were written.
    var isolation = IsolationRequest()
    var limits = ResourceLimits()
    var redaction = RedactionOptions()
    /// `nil` when the file does not say.
    var toolchainPolicy: ToolchainPolicy?
    /// What `carrel metadata check` is to do.
    var metadata = MetadataSettings()
    /// A remark for each key that is not known.
    var unknown: [String] = []
  }

  /// - Parameter isRecorded: Whether the text is out of a bundle, where secrets were taken out of
  ///   it: patterns that were are left alone.
  /// - Throws: ``Problem``.
  static func read(_ bytes: [UInt8], isRecorded: Bool = false) throws(Problem) -> Content {
    let json: WireJSON
    do throws(WireSyntaxError) {
      json = try WireJSON(reading: bytes)
    } catch {
      throw Problem(text: "not JSON: \(error)")
    }
    var reader = Reader()
    var content = Content()
    let root = try reader.object(
      json, "",
      keys: ["format", "intents", "isolation", "limits", "metadata", "redaction", "toolchain"])
    guard let text = try reader.text(root["format"], "format") else {
      throw Problem(text: "'format' is missing; add \"format\": \"\(format)\"")
    }
    guard let version = FormatVersion(parsing: text) else {
      throw Problem(text: "'format' must be like \"\(format)\", not \"\(text)\"")
    }
    guard version.major <= format.major else {
      throw Problem(
        text: "format \(version) is newer than this version of Carrel, which reads \(format)")
    }
    if let value = root["intents"] {
      var options = IntentOptions()
      let keys = ["callLimit", "indexDelay", "metadata", "seed", "startLimit"]
      let intents = try reader.object(value, "intents", keys: keys)
      if let limit = try reader.seconds(intents["callLimit"], "intents.callLimit", isLimit: true) {
        options.callLimit = limit
      }
      if let limit = try reader.seconds(
        intents["startLimit"], "intents.startLimit", isLimit: true)
      {
        options.startLimit = limit
      }
      options.indexDelay =
        try reader.seconds(intents["indexDelay"], "intents.indexDelay") ?? 0
      if let seed = intents["seed"] { options.seed = try reader.seed(seed) }
      if let metadata = intents["metadata"] {
        guard let flag = metadata.bool else {
          throw Problem(text: "'intents.metadata' must be true or false")
        }
        options.extractsMetadata = flag
      }
      content.intents = options
    }
    if let value = root["isolation"] { content.isolation = try reader.isolation(value) }
    if let value = root["limits"] {
      content.limits = try LimitOptions.read(
        try reader.object(value, "limits", keys: LimitOptions.keys))
    }
    if let value = root["redaction"] {
      content.redaction = try reader.redaction(value, isRecorded: isRecorded)
    }
    if let value = root["metadata"] {
      let keys = ["baseline", "rules"]
      content.metadata = try MetadataSettings.read(
        try reader.object(value, "metadata", keys: keys), &content.unknown)
    }
    if let value = root["toolchain"] {
      let members = try reader.object(value, "toolchain", keys: ["policy"])
      content.toolchainPolicy = try reader.choice(members["policy"], "toolchain.policy")
    }
    content.unknown += reader.unknown
    return content
  }

  private struct Reader {
    var unknown: [String] = []

    mutating func object(
      _ json: WireJSON, _ path: String, keys: [String]
    ) throws(Problem) -> WireJSON {
      guard let members = json.members else {
        throw Problem(text: (path.isEmpty ? "the file" : "'\(path)'") + " must hold an object")
      }
      for member in members where !keys.contains(member.key) {
        let name = path.isEmpty ? member.key : "\(path).\(member.key)"
        unknown.append(
          "unknown key '\(name)' is ignored\(didYouMean(nearest(member.key, keys)))")
      }
      return json
    }

    private func nearest(_ key: String, _ keys: [String]) -> [String] {
      let wanted = Array(key.lowercased().utf8.prefix(100))
      return keys.compactMap { known in
        editDistance(wanted, Array(known.lowercased().utf8), limit: 2).map { (known, $0) }
      }.min { $0.1 < $1.1 }.map { [$0.0] } ?? []
    }

    func text(_ json: WireJSON?, _ path: String) throws(Problem) -> String? {
      guard let json else { return nil }
      guard let text = json.string else { throw Problem(text: "'\(path)' must be a string") }
      return text
    }

    /// - Parameter isLimit: Whether 0 is too little.
    func seconds(
      _ json: WireJSON?, _ path: String, isLimit: Bool = false
    ) throws(Problem) -> Double? {
      guard let json else { return nil }
      let most = ParsedArguments.mostSeconds
      guard let seconds = json.double, isLimit ? seconds > 0 : seconds >= 0,
        seconds <= Double(most)
      else {
        let range = isLimit ? "of more than 0 and at most \(most)" : "from 0 to \(most)"
        throw Problem(text: "'\(path)' must be a number of seconds \(range)")
      }
      return seconds
    }

    mutating func isolation(_ json: WireJSON) throws(Problem) -> IsolationRequest {
      let path = "isolation"
      let members = try object(
        json, path, keys: ["level", "network", "writable", "scratch", "home", "clone"])
      var request = IsolationRequest()
      request.level = try choice(members["level"], "\(path).level")
      if let network: SandboxNetwork = try choice(members["network"], "\(path).network") {
        request.network = network
      }
      request.clone = try choice(members["clone"], "\(path).clone")
      request.writable = try paths(members["writable"], "\(path).writable")
      request.scratch = try paths(members["scratch"], "\(path).scratch")
      request.home = try paths(members["home"], "\(path).home").map { written throws(Problem) in
        // The file is the same for everybody, so no path that somebody has is in it.
        guard let name = HomePath.name(of: written, in: nil) else {
          throw Problem(
            text: "'\(path).home' must hold paths relative to the home folder, not \"\(written)\"")
        }
        return name
      }
      return request
    }

    mutating func redaction(
      _ json: WireJSON, isRecorded: Bool
    ) throws(Problem) -> RedactionOptions {
      let path = "redaction"
      let members = try object(json, path, keys: ["enabled", "patterns", "names", "keep"])
      var options = RedactionOptions()
      if let value = members["enabled"] {
        guard let flag = value.bool else {
          throw Problem(text: "'\(path).enabled' must be true or false")
        }
        options.isEnabled = flag
      }
      options.names = try texts(members["names"], "\(path).names", "names")
      options.keep = try texts(members["keep"], "\(path).keep", "texts")
      if let value = members["patterns"] {
        guard let patterns = value.members else {
          throw Problem(text: "'\(path).patterns' must hold an object")
        }
        for pattern in patterns.sorted(by: { $0.key < $1.key }) {
          let text = try self.text(pattern.value, "\(path).patterns.\(pattern.key)") ?? ""
          var one = RedactionOptions()
          one.patterns = [.init(id: pattern.key, text: text)]
          do throws(Problem) {
            try RedactionOption.check(one)
            options.patterns += one.patterns
          } catch {
            guard isRecorded else { throw error }
            unknown.append("\(error.text); it is ignored")
          }
        }
      }
      return options
    }

    private func paths(_ json: WireJSON?, _ path: String) throws(Problem) -> [String] {
      try texts(json, path, "paths")
    }

    /// - Parameter what: What the texts are, in the plural.
    private func texts(
      _ json: WireJSON?, _ path: String, _ what: String
    ) throws(Problem) -> [String] {
      guard let json else { return [] }
      guard let texts = json.array?.map(\.string), !texts.contains(nil), !texts.contains("") else {
        throw Problem(text: "'\(path)' must be an array of \(what)")
      }
      return texts.compactMap { $0 }
    }

    func choice<Value: CaseIterable & RawRepresentable<String>>(
      _ json: WireJSON?, _ path: String
    ) throws(Problem) -> Value? {
      guard let text = try text(json, path) else { return nil }
      guard let value = Value(rawValue: text) else {
        let list = Value.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
        throw Problem(text: "'\(path)' must be one of \(list), not \"\(text)\"")
      }
      return value
    }

    mutating func seed(_ json: WireJSON) throws(Problem) -> SeedCall {
      let path = "intents.seed"
      let seed = try object(json, path, keys: ["bundle", "intent", "parameters", "shared"])
      guard let bundle = try text(seed["bundle"], "\(path).bundle"),
        let intent = try text(seed["intent"], "\(path).intent")
      else { throw Problem(text: "'\(path)' needs 'bundle' and 'intent'") }
      var parameters: [String: IntentValue] = [:]
      if let value = seed["parameters"] {
        guard let members = value.members else {
          throw Problem(text: "'\(path).parameters' must hold an object")
        }
        for member in members {
          parameters[member.key] = try self.value(member.value, "\(path).parameters.\(member.key)")
        }
      }
      if let shared = seed["shared"], shared.bool == nil {
        throw Problem(text: "'\(path).shared' must be true or false")
      }
      return SeedCall(
        bundleIdentifier: bundle, intent: intent, parameters: parameters,
        isShared: seed["shared"]?.bool ?? true)
    }

    private func value(_ json: WireJSON, _ path: String) throws(Problem) -> IntentValue {
      switch json {
      case .null: return .null
      case .bool(let flag): return .bool(flag)
      case .int(let number): return .int(Int(number))
      case .double(let number): return .double(number)
      case .string(let text): return .string(text)
      case .array(let values):
        var result: [IntentValue] = []
        for value in values { result.append(try self.value(value, path)) }
        return .array(result)
      case .object:
        throw Problem(text: "'\(path)' must be a text, a number, true, false, null or an array")
      }
    }
  }
}
