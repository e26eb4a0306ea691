public import Foundation
import IntentWire

/// Why a call has no result.
public struct AppIntentError: Error, Hashable, Sendable {
  /// What kind of error it is.
  public enum Kind: String, Hashable, Sendable {
    /// perform() or a query of the app threw it.
    case thrownByApp
    case unknownApp, unknownName, wrongType, needsValue, entityNotFound, unsupported
    case missingDependency
    case appEnded, appHangs, appNotStarted, appSpeaksOtherwise, otherVersion
    /// Carrel's own: the intent system cannot be reached, or does not understand.
    case system
  }

  public let kind: Kind
  /// The text for people; of an error that the app threw, its own.
  public let message: String
  /// The domain of the error that the app threw; else that of Carrel.
  public let domain: String
  /// The code of the error that the app threw.
  public let code: Int
  /// The name of the case, when the app threw a case of an enumeration.
  public let caseName: String?
  /// What `String(describing:)` says of the error in the app.
  public let originalDescription: String
  /// The parameter that is to blame.
  public let parameter: String?
  /// The end of what the app's process wrote, when it is to blame.
  public let log: String?

  init(_ error: WireError) {
    kind =
      switch error.code {
      case .thrownByApp: .thrownByApp
      case .unknownApp: .unknownApp
      case .unknownName: .unknownName
      case .wrongType: .wrongType
      case .needsValue: .needsValue
      case .entityNotFound: .entityNotFound
      case .unsupported: .unsupported
      case .missingDependency: .missingDependency
      case .appEnded: .appEnded
      case .appHangs: .appHangs
      case .appNotStarted: .appNotStarted
      case .appSpeaksOtherwise: .appSpeaksOtherwise
      case .otherVersion: .otherVersion
      default: .system
      }
    message = error.message
    domain = error.origin?.domain ?? "Carrel.AppIntents"
    code = error.origin?.code ?? error.code.rawValue
    caseName = error.origin?.caseName
    originalDescription = error.origin?.debugDescription ?? error.message
    parameter = error.parameter
    log = error.log
  }
}

extension AppIntentError: LocalizedError, CustomNSError, CustomStringConvertible {
  public static var errorDomain: String { "Carrel.AppIntents" }
  public var errorCode: Int { code }
  public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: message] }
  public var errorDescription: String? { message }

  public var description: String {
    var text = kind == .thrownByApp ? "\(originalDescription) (\(domain) \(code))" : message
    if kind == .thrownByApp, originalDescription != message { text += ": \(message)" }
    if let words = log.map(Self.lastWords), !words.isEmpty {
      text += "\nlast output of the app:\n\(words)"
    }
    return text
  }

  /// The end of what an app wrote, without the backtrace of a crash: addresses, threads and times
  /// in it are others each time. All of it is in ``log``.
  private static func lastWords(_ log: String) -> String {
    let lines = log.split(separator: "\n", omittingEmptySubsequences: false)
    let words = lines.prefix { line in
      !(line.hasPrefix("*** ") && line.contains(": Backtracing from 0x"))
        && !line.hasPrefix("*** Program crashed: ") && !line.hasPrefix("swift-runtime: ")
    }
    return words.suffix(20).joined(separator: "\n")
      .trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
