import FoundationEssentials
import Glibc
import Synchronization
import TestSupport

/// A copy of a fixture package that is built once and kept beside this test's executable.
struct FixturePackage: Sendable {
  let name: String
  /// Absolute path of the copy.
  let path: String

  /// The copy of `Tests/Fixtures/NAME`, brought up to date and built.
  ///
  /// - Parameters:
  ///   - place: The name of a folder of its own for another copy; empty for the usual one.
  ///   - isBuilt: `false` to only copy the sources.
  static func prepare(
    _ name: String, in place: String = "", isBuilt: Bool = true
  ) async throws -> FixturePackage {
    let parent = Self.folder + (place.isEmpty ? "" : "/\(place)")
    let package = FixturePackage(name: name, path: "\(parent)/\(name)")
    guard !isReady(package.path) else { return package }
    try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
    // Two runs of these tests may meet here.
    let lock = open("\(parent)/\(name).lock", O_CREAT | O_RDWR | O_CLOEXEC, 0o644)
    guard lock >= 0, flock(lock, LOCK_EX) == 0 else { throw FixtureProblem("cannot lock \(name)") }
    defer { close(lock) }
    try synchronize(from: source(name), to: package.path)
    guard isBuilt else { return package }
    let build = try await runProcess(
      ["swift", "build", "--build-tests", "--package-path", package.path],
      environment: Carrel.variables(adding: ["CARREL_PACKAGE": repository]), timeout: 600)
    guard build.status == 0 else {
      throw FixtureProblem("\(name) does not build: \(build.text)\(build.errorText)")
    }
    ready.withLock { _ = $0.insert(package.path) }
    return package
  }

  /// A copy of its own in the given folder, with nothing built.
  static func copy(_ name: String, to folder: String) throws -> FixturePackage {
    try synchronize(from: source(name), to: "\(folder)/\(name)")
    return FixturePackage(name: name, path: "\(folder)/\(name)")
  }

  /// The line, from 1, that ends with `// here: KEY` in the package's tests.
  static func line(of key: String, in name: String) throws -> (file: String, line: Int) {
    for path in try sources(below: source(name)) where path.hasSuffix(".swift") {
      let text = String(decoding: try readFile(path), as: UTF8.self)
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
      if let index = lines.firstIndex(where: { $0.hasSuffix("// here: \(key)") }) {
        return (String(path.split(separator: "/").last ?? ""), index + 1)
      }
    }
    throw FixtureProblem("no line is marked with \(key)")
  }

  private static let ready = Mutex<Set<String>>([])

  private static func isReady(_ path: String) -> Bool { ready.withLock { $0.contains(path) } }

  private static let folder = "\(Carrel.productsFolder)/end-to-end"

  /// The folder of Carrel's own package, which some fixtures depend on.
  static let repository =
    "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")

  private static func source(_ name: String) -> String { "\(repository)/Tests/Fixtures/\(name)" }
}

/// Why a fixture cannot be used.
struct FixtureProblem: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// The bytes of a file.
func readFile(_ path: String) throws -> [UInt8] {
  guard let data = FileManager.default.contents(atPath: path) else {
    throw FixtureProblem("cannot read \(path)")
  }
  return Array(data)
}

/// The paths of all files below a folder, without those whose names begin with a dot.
func sources(below folder: String) throws -> [String] {
  try FileManager.default.contentsOfDirectory(atPath: folder).sorted().flatMap { name in
    let path = "\(folder)/\(name)"
    if name.hasPrefix(".") { return [String]() }
    return isFolder(path) ? try sources(below: path) : [path]
  }
}

/// Whether the path is a folder; links are not followed.
func isFolder(_ path: String) -> Bool {
  var status = stat()
  return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
}

/// Makes the files of a folder equal to another's; equal files keep their times, so that a build
/// stays warm, and names that begin with a dot are left alone.
private func synchronize(from source: String, to target: String) throws {
  let files = FileManager.default
  let wanted = try sources(below: source).map { String($0.dropFirst(source.count)) }
  for name in wanted {
    let bytes = try readFile(source + name)
    let path = target + name
    if files.fileExists(atPath: path), try readFile(path) == bytes { continue }
    let parent = path.split(separator: "/").dropLast().joined(separator: "/")
    try files.createDirectory(atPath: "/\(parent)", withIntermediateDirectories: true)
    try Data(bytes).write(to: URL(filePath: path), options: .atomic)
  }
  for path in try sources(below: target)
  where !wanted.contains(String(path.dropFirst(target.count))) {
    try files.removeItem(atPath: path)
  }
}
