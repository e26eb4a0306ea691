import FoundationEssentials
import RunModel
import SwiftTests
import SystemFiles
import Workers

/// What a toolchain's programs say of themselves.
struct ToolchainDescription: Codable, Hashable, Sendable {
  /// The toolchain that has said so; see ``Toolchain/identity``.
  var identity: String
  /// The line of `swift --version` with the version; `nil` when it did not say.
  var version: String?
  /// Target triple.
  var target: String?
  /// Absolute path of the folder with the runtime libraries.
  var runtimeFolder: String?
  /// What `clang --version` says after `clang version`.
  var clang: String?
  /// What `swift --version` wrote when it failed.
  var failure: String?

  var swiftVersion: SwiftVersion? { version.flatMap { SwiftVersion(describedBy: $0) } }
}

/// Asks toolchains what they are. Answers are kept in the user's cache folder until one of the
/// programs changes.
struct ToolchainProbe {
  /// Seconds that the programs get together.
  private static let limit = 20.0
  private static let keptOutput = 1 << 16

  let supervisor: Supervisor
  /// The user's cache folder; `nil` to remember nothing.
  let cache: String?
  /// The caller's environment.
  let environment: [String: String]

  func describe(_ toolchain: Toolchain) -> ToolchainDescription {
    let identity = toolchain.identity
    let path = cache.map { "\($0)/toolchains/\(hexadecimal(stableHash(identity.utf8))).json" }
    if let known = path.flatMap({ readSmallFile($0) }).flatMap({
      try? JSONDecoder().decode(ToolchainDescription.self, from: Data($0))
    }), known.identity == identity {
      return known
    }
    let description = ask(toolchain)
    if let path, let cache, description.version != nil, supervisor.interruption == nil,
      let bytes = try? JSONEncoder().encode(description),
      (try? makeFolders(cache + "/toolchains", mode: 0o700)) != nil
    {
      try? writeFileAtomically(Array(bytes), to: path, mode: 0o600)
    }
    return description
  }

  private func ask(_ toolchain: Toolchain) -> ToolchainDescription {
    let environment = toolchain.environment(environment)
    let requests = [
      (toolchain.swift, "--version"), (toolchain.swiftc, "-print-target-info"),
      (toolchain.clang, "--version"),
    ].enumerated().map { index, command in
      ProcessRequest(
        executable: command.0, arguments: [command.1], environment: environment, directory: "/",
        scope: "\(Watchdog.programMark)-version-\(index)")
    }
    var outputs = requests.map { _ in [UInt8]() }
    var errors = outputs
    let ends = supervisor.run(requests, limit: Self.limit) { index, stream, bytes in
      guard outputs[index].count + errors[index].count < Self.keptOutput else { return }
      if stream == .stdout { outputs[index] += bytes } else { errors[index] += bytes }
    }
    func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
    func line(with marker: String, in text: String) -> Substring? {
      text.split(whereSeparator: \.isNewline).first { $0.contains(marker) }
    }
    var description = ToolchainDescription(identity: toolchain.identity)
    // Proxies write their errors to either stream.
    let said = text(outputs[0]) + "\n" + text(errors[0])
    if case .success(.exited(0)) = ends[0], let line = line(with: "Swift version", in: said) {
      description.version = line.trimmed
      description.target =
        said.split(whereSeparator: \.isNewline).first {
          $0.hasPrefix("Target: ")
        }?.dropFirst("Target: ".count).trimmed
    } else {
      let end =
        switch ends[0] {
        case .success(let end): "ended with \(end)"
        case .failure(let error): "\(error)"
        }
      let written = said.split(whereSeparator: \.isNewline).prefix(5).joined(separator: "; ")
      description.failure = end + (written.isEmpty ? "" : ": \(written)")
    }
    if case .success(.exited(0)) = ends[1],
      let info = try? JSONDecoder().decode(TargetInfo.self, from: Data(outputs[1]))
    {
      description.target = description.target ?? info.target.triple
      description.runtimeFolder = info.paths.runtimeLibraryPaths.first.flatMap { existingPath($0) }
    }
    if case .success(.exited(0)) = ends[2] {
      let marker = "clang version "
      description.clang = line(with: marker, in: text(outputs[2])).flatMap { line in
        line.firstRange(of: marker).map { line[$0.upperBound...].trimmed }
      }
    }
    return description
  }

  /// The part of what `swiftc -print-target-info` says that matters here.
  private struct TargetInfo: Decodable {
    struct Target: Decodable { var triple: String }
    struct Paths: Decodable { var runtimeLibraryPaths: [String] }
    var target: Target
    var paths: Paths
  }
}

extension Substring {
  /// Without white space at both ends.
  fileprivate var trimmed: String {
    var text = self
    while text.first?.isWhitespace == true { text.removeFirst() }
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text)
  }
}
