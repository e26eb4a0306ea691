/// Why a call has no result: of the protocol, of the intent system, or thrown by an app.
public struct WireError: Error, Hashable, Sendable {
  /// The kind of an error; those below −32000 are JSON-RPC's own.
  public struct Code: RawRepresentable, Hashable, Sendable {
    public var rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    public static let parseError = Code(rawValue: -32700)
    public static let invalidRequest = Code(rawValue: -32600)
    public static let methodNotFound = Code(rawValue: -32601)
    public static let invalidParameters = Code(rawValue: -32602)
    public static let internalError = Code(rawValue: -32603)

    /// The code that perform() or a query of the app threw an error.
    public static let thrownByApp = Code(rawValue: 1)
    /// No app has the bundle identifier.
    public static let unknownApp = Code(rawValue: 2)
    /// The app has no intent, entity, enumeration or parameter of the name.
    public static let unknownName = Code(rawValue: 3)
    /// A value cannot be made into the type that is asked for.
    public static let wrongType = Code(rawValue: 4)
    /// A required parameter has no value, and there is nobody to ask.
    public static let needsValue = Code(rawValue: 5)
    /// The app's process ended before it answered.
    public static let appEnded = Code(rawValue: 6)
    /// The app did not answer within the limit.
    public static let appHangs = Code(rawValue: 7)
    /// The app answered what nobody can read.
    public static let appSpeaksOtherwise = Code(rawValue: 8)
    /// The app's process could not be started.
    public static let appNotStarted = Code(rawValue: 9)
    /// Two sides speak other major versions of the protocol.
    public static let otherVersion = Code(rawValue: 10)
    /// An entity does not resolve: the app's query returned nothing for its identifier.
    public static let entityNotFound = Code(rawValue: 11)
    /// The app does not support what was asked, for example a query for a text.
    public static let unsupported = Code(rawValue: 12)
    /// A dependency was asked for that nobody has added.
    public static let missingDependency = Code(rawValue: 13)
    /// The intent system is gone or was never there.
    public static let systemUnreachable = Code(rawValue: 14)
    /// The app was compiled by another compiler than the one that the run is pinned to.
    public static let otherCompiler = Code(rawValue: 15)
    /// Whoever called ended before the app answered.
    public static let callerEnded = Code(rawValue: 16)
    /// A number is less or greater than a parameter takes.
    public static let outOfRange = Code(rawValue: 17)
  }

  /// What an error of an app was, as far as it can cross to another process.
  public struct Origin: Hashable, Sendable {
    public var domain: String
    public var code: Int
    /// The case of an enumeration; `nil` for other types.
    public var caseName: String?
    /// The text for people.
    public var localizedDescription: String
    /// What `String(describing:)` says of it.
    public var debugDescription: String
    /// What to do about it, when the error says that.
    public var recoverySuggestion: String?

    public init(
      domain: String, code: Int, caseName: String?, localizedDescription: String,
      debugDescription: String, recoverySuggestion: String? = nil
    ) {
      self.domain = domain
      self.code = code
      self.caseName = caseName
      self.localizedDescription = localizedDescription
      self.debugDescription = debugDescription
      self.recoverySuggestion = recoverySuggestion
    }
  }

  public var code: Code
  /// What happened and what to do next.
  public var message: String
  /// The end of what the app's process wrote, when it is to blame.
  public var log: String?
  /// Set when the code is `thrownByApp`.
  public var origin: Origin?
  /// The name of the parameter, when one is to blame.
  public var parameter: String?
  /// What a person would be asked, when an intent asks for a value.
  public var prompt: String?
  /// The app's queries before the error; see docs/protocol.md.
  public var queries: WireJSON?

  public init(
    _ code: Code, _ message: String, log: String? = nil, origin: Origin? = nil,
    parameter: String? = nil
  ) {
    self.code = code
    self.message = message
    self.log = log
    self.origin = origin
    self.parameter = parameter
  }
}

extension WireError: CustomStringConvertible {
  public var description: String { message }

  /// What happened, without words of the process: of an error that the app threw, the error itself
  /// with its domain, code and text.
  public var fullText: String {
    guard let origin else { return message }
    let identity = "\(origin.domain) \(origin.code)"
    // What an NSError says of itself repeats all of this, in another order in each process.
    let isSystems = origin.debugDescription.hasPrefix("Error Domain=")
    var text = isSystems ? identity : "\(origin.debugDescription) (\(identity))"
    if origin.debugDescription != message { text += ": \(message)" }
    if let advice = origin.recoverySuggestion, !advice.isEmpty { text += " \(advice)" }
    return text
  }
}

extension WireError.Code {
  private static let names: [WireError.Code: String] = [
    .parseError: "parseError", .invalidRequest: "invalidRequest",
    .methodNotFound: "methodNotFound", .invalidParameters: "invalidParameters",
    .internalError: "internalError", .thrownByApp: "thrownByApp", .unknownApp: "unknownApp",
    .unknownName: "unknownName", .wrongType: "wrongType", .needsValue: "needsValue",
    .appEnded: "appEnded", .appHangs: "appHangs", .appSpeaksOtherwise: "appSpeaksOtherwise",
    .appNotStarted: "appNotStarted", .otherVersion: "otherVersion",
    .entityNotFound: "entityNotFound", .unsupported: "unsupported",
    .missingDependency: "missingDependency", .systemUnreachable: "systemUnreachable",
    .otherCompiler: "otherCompiler", .callerEnded: "callerEnded", .outOfRange: "outOfRange",
  ]

  /// The name in docs/protocol.md; the number for one that has none there.
  public var name: String { Self.names[self] ?? "\(rawValue)" }
}

extension WireError {
  /// As it is in the answer to a call.
  package var json: WireJSON {
    var data: [WireJSON.Member] = []
    if let log { data.append(.init("log", .string(log))) }
    if let parameter { data.append(.init("parameter", .string(parameter))) }
    if let prompt { data.append(.init("prompt", .string(prompt))) }
    if let queries { data.append(.init("queries", queries)) }
    if let origin {
      var members: [WireJSON.Member] = [
        .init("domain", .string(origin.domain)), .init("code", .int(Int64(origin.code))),
        .init("case", origin.caseName.map { .string($0) } ?? .null),
        .init("localizedDescription", .string(origin.localizedDescription)),
        .init("debugDescription", .string(origin.debugDescription)),
      ]
      if let advice = origin.recoverySuggestion {
        members.append(.init("recoverySuggestion", .string(advice)))
      }
      data.append(.init("origin", .object(members)))
    }
    var members: [WireJSON.Member] = [
      .init("code", .int(Int64(code.rawValue))), .init("message", .string(message)),
    ]
    if !data.isEmpty { members.append(.init("data", .object(data))) }
    return .object(members)
  }

  package init(json: WireJSON) throws(WireShapeError) {
    let data = json["data"]
    var origin: Origin?
    if let value = data?["origin"] {
      origin = Origin(
        domain: try require(value["domain"]?.string, "domain"),
        code: try require(value["code"]?.int, "code"), caseName: value["case"]?.string,
        localizedDescription: try require(
          value["localizedDescription"]?.string, "localizedDescription"),
        debugDescription: try require(value["debugDescription"]?.string, "debugDescription"),
        recoverySuggestion: value["recoverySuggestion"]?.string)
    }
    self.init(
      Code(rawValue: try require(json["code"]?.int, "code")),
      try require(json["message"]?.string, "message"), log: data?["log"]?.string, origin: origin,
      parameter: data?["parameter"]?.string)
    prompt = data?["prompt"]?.string
    queries = data?["queries"]
    self = shortened
  }
}
