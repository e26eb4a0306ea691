import FoundationEssentials
package import RunModel
import SystemFiles
package import Workers

/// The command of one batch.
package struct BatchCommand: Sendable {
  package var product: TestProduct
  package var library: TestLibrary
  package var tests: [TestDescriptor]
  /// Whether all tests of the product and library are selected, so that no selection is needed.
  package var isWholeProduct: Bool
  /// 16 hexadecimal digits that nobody can guess; see `OutputSplitter`.
  package var nonce: String
  /// Whether the process is asked where Foundation's folders are.
  package var checksHomes: Bool
  /// Makes the selections for Swift Testing.
  package var patterns: FilterPatterns

  package init(
    product: TestProduct, library: TestLibrary, tests: [TestDescriptor], isWholeProduct: Bool,
    nonce: String, checksHomes: Bool, patterns: FilterPatterns
  ) {
    self.patterns = patterns
    self.product = product
    self.library = library
    self.tests = tests
    self.isWholeProduct = isWholeProduct
    self.nonce = nonce
    self.checksHomes = checksHomes
  }

  /// The process to start; writes the selection beside the container.
  ///
  /// - Parameters:
  ///   - environment: The environment of the container.
  ///   - observer: Path of the observer's library.
  ///   - directory: Working directory, the package.
  /// - Throws: ``WorkersError`` when the selection cannot be written.
  package func request(
    environment: [String: String], container: Container, observer: String, directory: String,
    scope: String
  ) throws(WorkersError) -> ProcessRequest {
    var environment = environment
    environment["LD_PRELOAD"] = observer
    environment["CARREL_OBSERVER_CHANNEL"] = String(SupervisedProcess.channelDescriptor)
    environment["CARREL_OBSERVER_NONCE"] = nonce
    // The observer changes it in place, so it has to be there from the start.
    environment["CARREL_TEST_SEQUENCE"] = "00000000"
    if checksHomes { environment["CARREL_OBSERVER_HOMES"] = "1" }
    var arguments: [String] = []
    switch library {
    case .xctest:
      if isWholeProduct {
        // As `swift test` does it.
      } else if let argument = Self.argument(for: tests) {
        arguments = [argument]
      } else {
        let path = container.selection
        try asWorkersError(.container) { () throws(FileError) in
          try writeSmallFile(path, Self.selection(of: tests))
        }
        environment["CARREL_OBSERVER_SELECTION"] = container.seen.selection
      }
    case .testing:
      environment["CARREL_OBSERVER_KEEPS_CHANNEL"] = "1"
      arguments = [
        "--testing-library", "swift-testing", "--event-stream-output-path",
        "/dev/fd/\(SupervisedProcess.channelDescriptor)", "--event-stream-version", "0",
        "--no-parallel", "--verbosity", String(Int.min), "--attachments-path",
        container.seen.attachments,
      ]
      if !isWholeProduct {
        // A file, because an argument may not be longer than 128 KiB (execve(2)).
        let path = container.selection
        let filter = patterns.pattern(selecting: tests.map(\.libraryID))
        let bytes: Data
        do {
          bytes = try JSONEncoder().encode(["filter": [filter]])
        } catch {
          throw WorkersError(.container, "the selection of tests cannot be written", cause: error)
        }
        try asWorkersError(.container) { () throws(FileError) in
          try writeSmallFile(path, Array(bytes))
        }
        arguments += ["--configuration-path", container.seen.selection]
      }
    }
    return ProcessRequest(
      executable: product.executable, arguments: arguments, environment: environment,
      directory: directory, hasChannel: true, scope: scope)
  }

  /// XCTest's own way to select tests: one argument with names between commas.
  ///
  /// - Returns: `nil` when a name cannot be given that way because of a comma, a further slash or a
  ///   zero byte, or the argument would come near the 128 KiB that one may have (execve(2)).
  static func argument(for tests: [TestDescriptor]) -> String? {
    var result = ""
    for test in tests {
      let name = test.id.name
      guard !name.contains(","), !name.utf8.contains(0), name.count(where: { $0 == "/" }) == 1,
        !name.hasPrefix("-"),
        !name.hasSuffix("/"), !name.hasPrefix("/"),
        // XCTest takes equivalent spellings for the same, and names private classes by an address.
        name.utf8.allSatisfy({ $0 < 0x80 }), !name.contains("(private)")
      else { return nil }
      result += result.isEmpty ? name : ",\(name)"
      guard result.utf8.count < 100_000 else { return nil }
    }
    return result
  }

  /// The observer's way, which knows no forbidden names: class and method, each after its number of
  /// bytes and a colon.
  static func selection(of tests: [TestDescriptor]) -> [UInt8] {
    var bytes: [UInt8] = []
    for test in tests {
      let name = test.id.name
      let slash = name.firstIndex(of: "/") ?? name.endIndex
      for word in [name[..<slash], name[slash...].dropFirst()] {
        bytes += "\(word.utf8.count):".utf8
        bytes += word.utf8
      }
    }
    return bytes
  }
}
