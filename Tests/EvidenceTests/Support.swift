import FoundationEssentials
import Glibc
import RunModel
import Testing

@testable import Evidence

/// A folder of its own for one test, removed at its end.
final class Scratch: Sendable {
  let path: String

  init() throws {
    var template = Array("/tmp/carrel évidence-XXXXXX".utf8CString)
    let made = mkdtemp(&template)
    try #require(made != nil)
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { try? removeTree(path) }

  func write(_ name: String, _ bytes: [UInt8], mode: mode_t = 0o644) throws {
    try makeFolders(folder(of: "\(path)/\(name)"))
    try writeFileAtomically(bytes, to: "\(path)/\(name)")
    chmod("\(path)/\(name)", mode)
  }

  func write(_ name: String, _ text: String) throws { try write(name, Array(text.utf8)) }

  func bytes(_ name: String) throws -> [UInt8] {
    try readFile("\(path)/\(name)", maxBytes: 1 << 30)
  }
}

extension BundleManifest {
  /// A manifest as a plain test has it.
  static func sample(
    _ test: TestID = TestID(product: "P", library: .xctest, name: "M.Class/testIt"),
    attempt: Int = 1
  ) -> BundleManifest {
    BundleManifest(
      carrel: "0.1.0", runID: "20261130T053000Z-4f3a2b",
      attempt: AttemptResult(
        test: test, attempt: attempt, batch: 1, worker: 1, verdict: .failed,
        issues: [TestIssue(message: "1 is not 2")], end: .exited(1), startedAt: 1000,
        duration: 0.5),
      predecessors: [], package: "P", toolchain: "Swift 6.3.1", runtime: "Linux x86_64",
      hostName: "host", fixtureToken: nil, isolation: "directories", timeLimit: 60)
  }
}

/// Runs a program with its output in memory and returns status and output.
@discardableResult
func run(_ arguments: String..., input: String? = nil) throws -> (status: Int32, output: String) {
  let output = "/tmp/carrel-evidence-output-\(randomText(12))"
  defer { unlink(output) }
  var actions = posix_spawn_file_actions_t()
  posix_spawn_file_actions_init(&actions)
  defer { posix_spawn_file_actions_destroy(&actions) }
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
  posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
  posix_spawn_file_actions_adddup2(&actions, 1, 2)
  var argv: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
  defer { for pointer in argv { free(pointer) } }
  var pid: pid_t = 0
  let result = posix_spawnp(&pid, arguments[0], &actions, nil, &argv, environ)
  try #require(result == 0, "\(arguments[0]): \(SystemFailure(result))")
  var status: Int32 = 0
  waitpid(pid, &status, 0)
  let code = status & 0x7F == 0 ? (status >> 8) & 0xFF : -(status & 0x7F)
  return (code, String(decoding: try readFile(output, maxBytes: 1 << 30), as: UTF8.self))
}

extension Scratch {
  /// Packs a folder of the scratch folder as the container of a bundle beside it.
  @discardableResult
  func pack(
    _ folder: String = "box", to name: String = "b.tar", compression: BundleCompression = .none,
    limits: BundleLimits = BundleLimits()
  ) throws -> BundleReader {
    try FailureBundle.write(
      BundleContents(
        manifest: .sample(), entries: [.init("container", .tree("\(path)/\(folder)"))]),
      to: "\(path)/\(name)", compression: compression, limits: limits)
    return BundleReader(path: "\(path)/\(name)", limits: limits)
  }

  /// Extracts a bundle's container and returns what came out of it.
  func unpack(_ bundle: BundleReader, to name: String = "out") throws -> ExtractionReport {
    try bundle.extract(
      to: "\(path)/\(name)", options: ExtractionOptions(links: .keepAll, subtree: "container"))
  }
}
