package import RunModel
package import Workers

/// The tests of one product and library, taken from a process that lists them.
///
/// Pure: it is fed with what the process wrote and told how the process ended.
package struct Listing: Sendable {
  package let product: TestProduct
  package let library: TestLibrary
  private var lines: LineSplitter
  private var tests: [TestDescriptor] = []
  private var sawRecord = false
  private var isClosed = false
  /// Why a test may be missing.
  private var damage: Unreadable?
  private var output: [UInt8] = []

  package init(product: TestProduct, library: TestLibrary) {
    self.init(product: product, library: library, lineLimit: LineSplitter.standardLimit)
  }

  init(product: TestProduct, library: TestLibrary, lineLimit: Int) {
    self.product = product
    self.library = library
    lines = LineSplitter(limit: lineLimit)
  }

  /// The command that lists the tests.
  ///
  /// - Parameters:
  ///   - environment: The environment of a container.
  ///   - observer: Path of the observer's library.
  package func request(
    environment: [String: String], observer: String, directory: String, scope: String
  ) -> ProcessRequest {
    var environment = environment
    environment["LD_PRELOAD"] = observer
    environment["CARREL_OBSERVER_CHANNEL"] = String(SupervisedProcess.channelDescriptor)
    environment["CARREL_OBSERVER_NONCE"] = "0000000000000000"
    environment["CARREL_OBSERVER_LISTS"] = "1"
    environment["CARREL_OBSERVER_HOMES"] = "1"
    var arguments: [String] = []
    switch library {
    case .xctest: arguments = ["--list-tests"]
    case .testing:
      environment["CARREL_OBSERVER_KEEPS_CHANNEL"] = "1"
      arguments = [
        "--testing-library", "swift-testing", "--list-tests", "--event-stream-output-path",
        "/dev/fd/\(SupervisedProcess.channelDescriptor)", "--event-stream-version", "0",
        "--verbosity", String(Int.min),
      ]
    }
    return ProcessRequest(
      executable: product.executable, arguments: arguments, environment: environment,
      directory: directory, hasChannel: true, scope: scope)
  }

  /// The folders that Foundation named in the listing process, by the call that did.
  package private(set) var homes: [String: String] = [:]

  /// Classes with tests that they inherit and that are not among the listed ones, one sentence
  /// each.
  package private(set) var warnings: [String] = []

  package mutating func feed(_ stream: ProcessStream, _ bytes: UnsafeRawBufferPointer) {
    guard stream == .channel else {
      if output.count < 1 << 16 { output.append(contentsOf: bytes) }
      return
    }
    var records: [ChannelRecord] = []
    lines.feed(bytes) { line in
      guard let line else {
        damage = damage ?? .tooLong
        return
      }
      if line.isEmpty { return }
      if let record = ChannelRecord(line: line) {
        records.append(record)
      } else {
        damage = damage ?? .garbage
      }
    }
    for record in records { take(record) }
  }

  private mutating func take(_ record: ChannelRecord) {
    switch (record, library) {
    case (.observer(let record), _) where record.kind == .homes:
      homes = record.homes
    case (.observer(let record), .xctest):
      switch record.kind {
      case .hello: sawRecord = true
      case .closed: isClosed = true
      case .test:
        guard let className = record.className, let method = record.method else { return }
        let id = TestID(
          product: product.name, library: .xctest, name: "\(className)/\(method)")
        tests.append(TestDescriptor(id: id))
      case .inherited:
        guard let className = record.className, let ancestor = record.name else { return }
        let count = record.executed ?? 1
        warnings.append(
          "\(className) inherits \(count) \(count == 1 ? "test" : "tests") from \(ancestor) that "
            + "will not run: on Linux, XCTest only finds tests that a class declares itself")
      default: break
      }
    case (.observer(let record), .testing):
      // XCTest's main ran although Swift Testing was asked for: a product with its own main.
      if record.kind == .closed { isClosed = true }
      if record.kind == .hello { sawRecord = true }
    case (.stream(let record), .testing):
      guard record.kind == "test", record.payload.kind == "function",
        let libraryID = record.payload.id
      else { return }
      let place = record.payload.sourceLocation ?? record.payload._sourceLocation
      tests.append(
        TestDescriptor(
          id: TestID(
            product: product.name, library: .testing, name: nameWithoutLocation(libraryID)),
          displayName: record.payload.displayName, location: place?.location,
          isParameterized: record.payload.isParameterized ?? false,
          tags: record.payload._tags ?? [], libraryID: libraryID))
    case (.stream, .xctest): break
    }
  }

  /// The tests, once the process has ended.
  ///
  /// - Throws: ``SwiftTestsError`` with code `listingFailed` when the process did not get to the
  ///   end of its listing, however it ended.
  package func result(end: ProcessEnd) throws(SwiftTestsError) -> [TestDescriptor] {
    let isWhole: Bool
    let name = library.displayName
    if let damage = damage ?? (lines.hasRest && end == .exited(0) ? .cut : nil) {
      throw SwiftTestsError(
        .listingFailed, "the \(name) tests of \(product.name) could not be listed: \(damage)",
        output: String(decoding: output, as: UTF8.self))
    }
    switch library {
    case .xctest: isWhole = isClosed && end == .exited(0)
    case .testing:
      // Swift Testing ends with EX_UNAVAILABLE (sysexits.h) when there is no test.
      // Status 0 without a test is only believed when XCTest's main answered in its place.
      isWhole =
        sawRecord
        && (tests.isEmpty
          ? end == .exited(69) || (isClosed && end == .exited(0)) : end == .exited(0))
    }
    guard isWhole else {
      let output = String(decoding: output, as: UTF8.self)
      let marker = "error while loading shared libraries: "
      if end == .exited(127), let place = output.firstRange(of: marker) {
        let reason = output[place.upperBound...].prefix { !$0.isNewline }
        throw SwiftTestsError(
          .loaderFailed, "\(product.name) cannot be loaded: \(reason)",
          context: ["path": product.executable])
      }
      throw SwiftTestsError(
        .listingFailed,
        "the \(name) tests of \(product.name) could not be listed: the process ended with \(end)",
        output: output)
    }
    // Swift Testing lists in no particular order; its serial runs go by the order in the sources.
    return unambiguous(library == .testing ? tests.sorted(by: isBefore) : tests)
  }

  /// Adds the source location to names that several tests share.
  private func unambiguous(_ tests: [TestDescriptor]) -> [TestDescriptor] {
    var libraryIDs: [TestID: Set<String>] = [:]
    for test in tests { libraryIDs[test.id, default: []].insert(test.libraryID) }
    return tests.map { test in
      guard library == .testing, libraryIDs[test.id]?.count ?? 0 > 1 else { return test }
      var renamed = test
      renamed.id.name += "@" + test.libraryID.dropFirst(test.id.name.count + 1)
      return renamed
    }
  }
}

extension StreamRecord.Location {
  var location: SourceLocation {
    SourceLocation(file: _filePath ?? filePath ?? fileID ?? "", line: line, column: column)
  }
}

/// Swift Testing's identifier without the `/File.swift:LINE:COLUMN` at its end.
func nameWithoutLocation(_ libraryID: String) -> String {
  guard let slash = libraryID.lastIndex(of: "/") else { return libraryID }
  let place = libraryID[libraryID.index(after: slash)...].split(
    separator: ":", omittingEmptySubsequences: false)
  guard place.count >= 3, Int(place[place.count - 1]) != nil, Int(place[place.count - 2]) != nil
  else { return libraryID }
  return String(libraryID[..<slash])
}

/// Whether a test comes first in the sources: by file, then by place.
private func isBefore(_ first: TestDescriptor, _ second: TestDescriptor) -> Bool {
  func key(_ test: TestDescriptor) -> (String, Int, Int, String) {
    let place = test.location
    return (place?.file ?? "", place?.line ?? 0, place?.column ?? 0, test.libraryID)
  }
  return key(first) < key(second)
}
