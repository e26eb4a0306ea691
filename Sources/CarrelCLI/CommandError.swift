import Evidence
import IntentMetadata
import MetadataFiles
import Orchestration
import RunEngine
import RunModel
import SearchIndex
import SwiftTests
import Workers

/// An error that ends a command: what to print and which status to end with.
struct CommandError: Error {
  var exitCode: ExitCode
  /// The stable code of the error that it was made from, else that of the status.
  var code: String
  var message: String
  /// Output of a program that explains it, if any.
  var output: String?

  init(_ exitCode: ExitCode, _ message: String, code: String? = nil, output: String? = nil) {
    self.exitCode = exitCode
    self.code = code ?? exitCode.code
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
      self.init(error)
    case let error as RunEngineError:
      self.init(error)
    case let error as SwiftTestsError:
      self.init(error)
    case let error as EvidenceError:
      let status: ExitCode =
        switch error.code {
        case .unwritable, .invalidContents, .targetNotEmpty, .stopped, .notPackable: .notWritten
        case .notFound, .ambiguous, .invalidManifest, .invalidPattern: .usage
        case .outOfMemory: .environment
        default: .badBundle
        }
      self.init(status, "\(error)", code: error.code.rawValue)
    case let error as SearchIndexError:
      self.init(.environment, "\(error); \(WorkRoot.advice)", code: error.code.rawValue)
    case let error as MetadataFilesError:
      let status: ExitCode =
        switch error.code {
        case .notFound, .unknownKind: .usage
        case .noMetadata: .nothingMatched
        case .unreadable, .malformed, .encrypted, .refusedEntry, .limit, .invalidMetadata:
          .badBundle
        }
      self.init(status, "\(error)", code: error.code.rawValue)
    case let error as MetadataError:
      self.init(.environment, "\(error)", code: error.code.rawValue)
    case let error as WorkersError:
      self.init(.environment, "\(error)", code: error.code.rawValue)
    default:
      self.init(.environment, "\(error)")
    }
  }

  private init(_ error: OrchestrationError) {
    let (status, option): (ExitCode, String) =
      switch error.code {
      case .invalidPattern: (.usage, "--filter ")
      case .invalidSkipPattern: (.usage, "--skip ")
      case .unknownTest: (.nothingMatched, "")
      case .ambiguousTest: (.usage, "")
      case .notMergeable, .notResumable: (.usage, "")
      }
    self.init(status, "\(option)\(error)", code: error.code.rawValue)
  }

  private init(_ error: RunEngineError) {
    switch error.code {
    case .nothingSelected:
      let advice =
        error.context["listed"] == "0"
        ? "; 'carrel run --allow-empty' calls that a success" : "; 'carrel list' shows them"
      self.init(.nothingMatched, "\(error)\(advice)", code: error.code.rawValue)
    case .isolationUnavailable:
      self.init(
        .environment,
        "\(error); 'carrel doctor' says what is missing, and 'carrel run --isolation processes' "
          + "runs without it",
        code: error.code.rawValue)
    case .productsChanged:
      self.init(
        .environment,
        "\(error); "
          + (error.context["archive"] != nil
            ? "'carrel resume --force' resumes it all the same, 'carrel rerun --archive FILE' is a "
              + "new run with the archive that is named"
            : "'carrel resume --force' resumes it all the same, 'carrel rerun' is a new run of "
              + "what failed or did not run"),
        code: error.code.rawValue)
    case .executableChanged, .noProduct:
      self.init(.environment, "\(error)", code: error.code.rawValue)
    }
  }

  private init(_ error: SwiftTestsError) {
    let status: ExitCode =
      switch error.code {
      case .noPackage: .usage
      case .buildFailed: .buildFailed
      case .noProducts: .nothingMatched
      case .listingFailed: .listingFailed
      case .loaderFailed: .listingFailed
      case .invalidToolchainRequest: .usage
      case .noToolchain, .observerFailed, .toolchainNotInstalled, .toolchainDiffers,
        .staleProducts:
        .environment
      }
    let more =
      switch error.code {
      case .observerFailed: error.output.map { "\n\($0)" } ?? ""
      case .noProducts: " (leave out --skip-build)"
      case .toolchainDiffers where error.context["against"] == "bundle":
        "; --toolchain PATH names another one, --toolchain-policy off runs the test all the same"
      case .toolchainDiffers where error.context["isOfArchive"] == "true":
        "; --toolchain-policy "
          + (error.context["policy"] == ToolchainPolicy.exact.rawValue
            ? "compatible takes what is near" : "off does not look")
      case .toolchainDiffers:
        error.context["policy"] == ToolchainPolicy.exact.rawValue
          ? "; --toolchain-policy compatible takes what is near, 'carrel toolchain pin' accepts it"
          : "; --toolchain-policy off does not look, 'carrel toolchain pin' accepts it"
      case .noPackage:
        error.context["missing"] == "folder"
          ? "; the argument is the path of a package, tests are selected by --filter"
          : "; give the path of a Swift package, or change into its folder"
      default: ""
      }
    self.init(status, "\(error)\(more)", code: error.code.rawValue, output: error.output)
  }
}
