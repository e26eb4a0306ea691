import FoundationEssentials
import Glibc
import RunModel
import TestSupport

/// The built command.
enum Carrel {
  /// The folder of this test's executable, which holds the command as well.
  static let productsFolder: String = {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = buffer.withUnsafeMutableBytes { bytes in
      bytes.withMemoryRebound(to: CChar.self) { chars in
        chars.baseAddress.map { readlink("/proc/self/exe", $0, chars.count) } ?? 0
      }
    }
    let path = String(decoding: buffer.prefix(max(count, 0)), as: UTF8.self)
    return "/" + path.split(separator: "/").dropLast().joined(separator: "/")
  }()

  static let executable = "\(productsFolder)/carrel"

  /// Runs the command with any arguments.
  static func invoke(
    _ arguments: [String], environment: [String: String] = [:], folder: String? = nil,
    timeout: Double = 120
  ) async throws -> ProcessOutput {
    try await ChildProcess(
      [executable] + arguments, environment: variables(adding: environment), folder: folder,
      timeout: timeout
    ).output()
  }

  /// Runs the tests of a fixture that is already built, with a folder of its own for the record.
  static func run(
    _ fixture: String, _ options: String..., environment: [String: String] = [:],
    timeout: Double = 120
  ) async throws -> CarrelRun {
    try await run(fixture, options, environment: environment, timeout: timeout)
  }

  static func run(
    _ fixture: String, _ options: [String], environment: [String: String] = [:],
    timeout: Double = 120
  ) async throws -> CarrelRun {
    let package = try await FixturePackage.prepare(fixture)
    let folder = try TemporaryFolder()
    let output = try await invoke(
      ["run", package.path, "--skip-build", "--output", folder.path(of: "runs")] + options,
      environment: environment, timeout: timeout)
    return CarrelRun(package: package, output: output, folder: folder)
  }

  /// The caller's variables and some more.
  static func variables(adding more: [String: String]) -> [String: String] {
    ProcessInfo.processInfo.environment.merging(more) { $1 }
  }
}

/// A finished `carrel run` and its record, which goes away with it.
struct CarrelRun: Sendable {
  let package: FixturePackage
  let output: ProcessOutput
  let folder: TemporaryFolder

  /// The folder of the run's record.
  var record: String {
    get throws { try recordFolder(in: folder.path(of: "runs")) }
  }

  var events: [RunEvent] {
    get throws { try readEvents("\(record)/events.jsonl") }
  }

  var state: RunState {
    get throws { RunState(try events) }
  }

  /// The one planned test whose name ends like this.
  func test(_ suffix: String) throws -> RunState.Test {
    let tests = try state.tests.filter { $0.id.name.hasSuffix(suffix) }
    guard let test = tests.first, tests.count == 1 else {
      throw FixtureProblem("\(tests.count) planned tests end with \(suffix)\n\(self)")
    }
    return test
  }

  /// The log of an attempt's stream, raw.
  func log(_ reference: LogReference?) throws -> [UInt8] {
    guard let reference else { throw FixtureProblem("there is no log\n\(self)") }
    return try readFile("\(record)/\(reference.path)")
  }

  /// The absolute paths of the run's bundles, sorted.
  var bundles: [String] {
    get throws {
      let folder = "\(try record)/bundles"
      guard isFolder(folder) else { return [] }
      return try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        .filter { $0.contains(".tar") }.map { "\(folder)/\($0)" }
    }
  }

  /// The bundle of an attempt at a test.
  func bundle(_ test: RunState.Test, attempt: Int? = nil) throws -> String {
    let number = attempt ?? test.decisive?.attempt ?? 1
    guard let bundle = test.bundles[number] else {
      throw FixtureProblem("attempt \(number) at \(test.id) has no bundle\n\(self)")
    }
    return "\(try record)/\(bundle.path)"
  }
}

extension CarrelRun: CustomStringConvertible {
  /// What a person needs to see when the run was not as expected.
  var description: String {
    """
    carrel ended with \(output.end) after \(output.duration) s
    --- output
    \(output.text.suffix(4000))
    --- errors
    \(output.errorText.suffix(4000))
    """
  }
}

/// The only run in a folder of runs.
func recordFolder(in runs: String) throws -> String {
  let names = (try? FileManager.default.contentsOfDirectory(atPath: runs)) ?? []
  let folders = names.map { "\(runs)/\($0)" }.filter {
    isFolder($0) && FileManager.default.fileExists(atPath: "\($0)/events.jsonl")
  }
  guard let folder = folders.first, folders.count == 1 else {
    throw FixtureProblem("\(runs) holds \(folders.count) run records: \(names)")
  }
  return folder
}

/// The complete lines of an event log.
func readEvents(_ path: String) throws -> [RunEvent] {
  let bytes = try readFile(path)
  let complete = bytes.prefix((bytes.lastIndex(of: UInt8(ascii: "\n")) ?? -1) + 1)
  return try complete.split(separator: UInt8(ascii: "\n")).map {
    try JSONDecoder().decode(RunEvent.self, from: Data($0))
  }
}
