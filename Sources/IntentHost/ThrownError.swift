import AppIntents
import Foundation
import IntentWire

extension WireError {
  /// The error of a call for what the app has thrown: its identity crosses to the test.
  init(thrown error: any Error) {
    if let error = error as? WireError {
      self = error
      return
    }
    if let error = error as? WireShapeError {
      self.init(.invalidParameters, "\(error)")
      return
    }
    let system = error as NSError
    let text = Self.text(of: error)
    self.init(
      .thrownByApp, text,
      origin: Origin(
        domain: system.domain, code: system.code, caseName: Self.caseName(of: error),
        localizedDescription: text, debugDescription: String(describing: error),
        recoverySuggestion: (error as? any LocalizedError)?.recoverySuggestion
          ?? system.localizedRecoverySuggestion))
  }

  /// The text for people, of the first of its sources that the error has.
  private static func text(of error: any Error) -> String {
    if let error = error as? any CustomLocalizedStringResourceConvertible {
      return String(localized: error.localizedStringResource)
    }
    if let text = (error as? any LocalizedError)?.errorDescription { return text }
    let text = String(describing: error)
    // NSError, and Foundation's errors that are made of one.
    let isSystems = type(of: error) is NSError.Type || text.hasPrefix("Error Domain=")
    return isSystems ? error.localizedDescription : text
  }

  /// The name of the case of an enumeration, without its associated values.
  private static func caseName(of error: any Error) -> String? {
    let mirror = Mirror(reflecting: error)
    guard mirror.displayStyle == .enum else { return nil }
    if let label = mirror.children.first?.label { return label }
    // Not of its own description, which may say anything.
    var text = ""
    dump(error, to: &text, maxDepth: 0)
    return text.split(separator: ".").last.map {
      $0.trimmingCharacters(in: .whitespacesAndNewlines)
    }
  }
}
