import Evidence
import Orchestration
import RunEngine
import SearchIndex
import SwiftTests
import Workers

/// An error that ends a command: what to print and which status to end with.
struct CommandError: Error {
  var exitCode: ExitCode
  var message: String
  /// Output of a program that explains it, if any.
  var output: String?

  init(_ exitCode: ExitCode, _ message: String, output: String? = nil) {
    self.exitCode = exitCode
    self.message = message
    self.output = output
  }

  /// Maps the errors of all modules; the only place that does.
  init(_ error: any Error) {
    switch error {
    case let error as CommandError:
      self = error
    case let error as UsageError:
      self.init(.usage, error.message)
    case let error as OrchestrationError:
      switch error.code {
      case .invalidPattern: self.init(.usage, "--filter " + error.message)
      case .invalidSkipPattern: self.init(.usage, "--skip " + error.message)
      case .unknownTest: self.init(.nothingMatched, error.message)
      case .ambiguousTest: self.init(.usage, error.message)
      }
    case let error as EmptySelection:
      self.init(.nothingMatched, error.message)
    case let error as SwiftTestsError:
      let code: ExitCode =
        switch error.code {
        case .noPackage: .usage
        case .buildFailed: .buildFailed
        case .noProducts: .nothingMatched
        case .listingFailed: .listingFailed
        case .noToolchain, .observerFailed: .environment
        }
      let more =
        switch error.code {
        case .observerFailed: error.output.map { "\n\($0)" } ?? ""
        case .noProducts: " (leave out --skip-build)"
        default: ""
        }
      self.init(code, error.message + more, output: error.output)
    case let error as EvidenceError:
      let code: ExitCode =
        switch error.code {
        case .unwritable, .invalidContents, .targetNotEmpty, .stopped: .notWritten
        case .notFound, .ambiguous: .usage
        default: .badBundle
        }
      self.init(code, "\(error)")
    case let error as SearchIndexError:
      self.init(.environment, "\(error); \(WorkRoot.advice)")
    case let error as WorkersError:
      self.init(.environment, "\(error)")
    default:
      self.init(.environment, "\(error)")
    }
  }
}

extension EmptySelection {
  /// Why nothing is left, and what can be done about it.
  var message: String {
    if listed == 0 {
      return "the package has no tests; 'carrel run --allow-empty' calls that a success"
    }
    let reasons = selection.emptyReasons
    return (reasons.isEmpty ? ["no test was selected"] : reasons).joined(separator: "\n")
      + "\n0 of \(listed) tests selected; 'carrel list' shows them"
  }
}
