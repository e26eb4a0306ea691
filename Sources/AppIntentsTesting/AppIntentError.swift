public import Foundation
import IntentWire
import RunModel

/// Why a call has no result.
public struct AppIntentError: Error, Hashable, Sendable {
  /// What kind of error it is.
  public enum Kind: String, Hashable, Sendable {
    /// perform() or a query of the app threw it.
    case thrownByApp
    case unknownApp, unknownName, wrongType, outOfRange, needsValue, entityNotFound, unsupported
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
  /// What a person would be asked, when the intent needs a value.
  public let prompt: String?
  /// What to do about it, when the error that the app threw says so.
  public let recoverySuggestion: String?
  /// What was called: `CreateNote of com.example.Notes`; `nil` for calls that need no app.
  public let call: String?
  /// Where the test made the call: `NotesTests/NoteTests.swift:12`.
  public let callSite: String?
  /// The end of what the app's process wrote, when it is to blame.
  public let log: String?

  /// The error in a sentence, without the call and the app's output.
  private let text: String

  init(_ error: WireError, call: String? = nil, site: CallSite? = nil) {
    kind =
      switch error.code {
      case .thrownByApp: .thrownByApp
      case .unknownApp: .unknownApp
      case .unknownName: .unknownName
      case .wrongType: .wrongType
      case .outOfRange: .outOfRange
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
    prompt = error.prompt
    recoverySuggestion = error.origin?.recoverySuggestion
    log = error.log
    text = error.fullText
    self.call = call
    callSite = site?.text
  }
}

extension AppIntentError: LocalizedError, CustomNSError, CustomStringConvertible {
  public static var errorDomain: String { "Carrel.AppIntents" }
  public var errorCode: Int { code }
  public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: message] }
  public var errorDescription: String? { message }

  /// Whether the sentence says what was called.
  private var namesCall: Bool {
    switch kind {
    case .needsValue, .unknownApp, .unknownName, .appEnded, .appHangs: return true
    default: break
    }
    // `CreateNote`, without the app.
    guard let call, let end = call.range(of: " of ", options: .backwards) else { return false }
    return text.ranges(of: call[..<end.lowerBound]).contains {
      $0.upperBound == text.endIndex || !text[$0.upperBound].isLetter
    }
  }

  public var description: String {
    var text = text
    if let call, kind == .thrownByApp || !namesCall { text = "\(call): \(text)" }
    if let callSite { text += " (called at \(callSite))" }
    let words = log.map { condensingBacktraces(in: $0) } ?? ""
    let last = words.split(separator: "\n", omittingEmptySubsequences: false).suffix(20)
      .joined(separator: "\n").trimmingCharacters(in: .whitespacesAndNewlines)
    if !last.isEmpty { text += "\nlast output of the app:\n\(last)" }
    return text
  }
}

/// Where a test makes a call.
struct CallSite: Sendable {
  var fileID: String
  var line: Int

  var text: String { "\(fileID):\(line)" }
}
