import FoundationEssentials
package import RunModel
import SystemFiles

/// The version of the toolchain manifest's format, `MAJOR.MINOR`; see docs/toolchain-manifest.md.
package let toolchainManifestFormat = FormatVersion(major: 1, minor: 0)

/// What a package is pinned to: `carrel-toolchain.json`, a file to be checked in.
package struct ToolchainManifest: Hashable, Sendable {
  /// Its name in the folder of a package.
  package static let name = "carrel-toolchain.json"
  private static let maxBytes = 1 << 20

  package var facts: ToolchainFacts

  package init(facts: ToolchainFacts) { self.facts = facts }

  private struct File: Decodable {
    var format: FormatVersion
    var facts: ToolchainFacts
  }

  private struct Head: Decodable {
    var format: FormatVersion
  }

  /// Reads a manifest.
  ///
  /// - Throws: ``EvidenceError`` with the code `invalidManifest`, or `notFound` when there is none;
  ///   both name the file.
  package init(readingFrom path: String) throws(EvidenceError) {
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try readFile(path, maxBytes: Self.maxBytes)
    } catch {
      guard error.code != .notFound else { throw EvidenceError(error) }
      throw EvidenceError(
        .invalidManifest, "the toolchain manifest '\(path)' cannot be read",
        context: error.context, cause: error)
    }
    func invalid(_ reason: String) -> EvidenceError {
      EvidenceError(
        .invalidManifest,
        "'\(path)' is no toolchain manifest (\(reason)); 'carrel toolchain pin' writes one",
        context: ["path": path])
    }
    let decoder = JSONDecoder()
    guard let head = try? decoder.decode(Head.self, from: Data(bytes)) else {
      throw invalid("no JSON object with a 'format' like \"\(toolchainManifestFormat)\"")
    }
    guard head.format.major <= toolchainManifestFormat.major else {
      throw invalid(
        "its format \(head.format) is newer than \(toolchainManifestFormat), which this version "
          + "reads")
    }
    guard let file = try? decoder.decode(File.self, from: Data(bytes)) else {
      throw invalid("'facts' must be an object of texts")
    }
    facts = file.facts
  }

  /// The file: one fact a line, sorted by name, so that a change is one line of a diff.
  package var bytes: [UInt8] {
    get throws {
      var lines: [String] = []
      for (name, value) in facts.values.sorted(by: { $0.key < $1.key }) {
        lines.append("    \(try Self.quoted(name)): \(try Self.quoted(value))")
      }
      let text = """
        {
          "format": "\(toolchainManifestFormat)",
          "facts": {
        \(lines.joined(separator: ",\n"))
          }
        }

        """
      return Array(text.utf8)
    }
  }

  private static func quoted(_ text: String) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .withoutEscapingSlashes
    return String(decoding: try encoder.encode(text), as: UTF8.self)
  }
}
