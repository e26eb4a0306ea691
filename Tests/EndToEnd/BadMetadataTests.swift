import FoundationEssentials
import Glibc
import TestSupport
import Testing

extension EndToEnd {
  /// Whatever is given to `carrel metadata`: one clear error with its status, and nothing written.
  @Suite struct BadMetadataTests {
    enum Input: String, CaseIterable {
      case truncated, otherTypes, otherFile, newer, huge, bomb, outside, absolute, twice, encrypted,
        cutOff, noMetadata, emptyArchive

      /// The status and what the error says besides the path.
      var expected: (status: Int32, text: String) {
        switch self {
        case .truncated: (8, "this is no JSON: ")
        case .otherTypes: (8, "'actions.A.isDiscoverable': true or false is expected")
        case .otherFile: (8, "this is no App Intents metadata")
        case .newer: (8, "the metadata has version 2")
        case .huge: (8, "larger than")
        case .bomb: (8, "larger than")
        case .outside: (8, "the entry '../Metadata.appintents/extract.actionsdata' leads out")
        case .absolute: (8, "the entry '/tmp/evil' leads out")
        case .twice: (8, "is there twice")
        case .encrypted: (8, "encrypted")
        case .cutOff: (8, "the archive is damaged")
        case .noMetadata, .emptyArchive: (4, "holds no App Intents metadata")
        }
      }

      private static let entry = "Payload/Ä b.app/Metadata.appintents/extract.actionsdata"
      private static let metadata = #"{"actions":{"A":{"identifier":"A"}},"version":1}"#

      /// Makes the file in a folder.
      ///
      /// - Returns: Its path.
      func make(in folder: TemporaryFolder) throws -> String {
        let file = folder.path(of: "extract.actionsdata")
        let archive = folder.path(of: "Ä b.ipa")
        func write(_ text: String) throws -> String {
          try text.write(toFile: file, atomically: true, encoding: .utf8)
          return file
        }
        func pack(_ entries: [ZipArchive.Entry], password: String? = nil) throws -> String {
          try ZipArchive.write(entries, to: archive, password: password)
          return archive
        }
        let bytes = Array(Self.metadata.utf8)
        switch self {
        case .truncated: return try write(String(Self.metadata.dropLast(14)))
        case .otherTypes: return try write(#"{"actions":{"A":{"isDiscoverable":"yes"}}}"#)
        case .otherFile: return try write(#"{"name":"carrel"}"#)
        case .newer: return try write(#"{"actions":{},"version":2}"#)
        case .huge:
          _ = try write("{")
          #expect(truncate(file, 500 << 20) == 0)
          return file
        case .bomb:
          return try pack([.file(Self.entry, [UInt8](repeating: 0x20, count: 80 << 20))])
        case .outside:
          return try pack([.file("../Metadata.appintents/extract.actionsdata", bytes)])
        case .absolute: return try pack([.file(Self.entry, bytes), .file("/tmp/evil", [1])])
        case .twice: return try pack([.file(Self.entry, bytes), .file(Self.entry, bytes)])
        case .encrypted: return try pack([.file(Self.entry, bytes)], password: "secret")
        case .cutOff:
          let noise = (0..<8192).map { UInt8(truncatingIfNeeded: $0 &* 167 ^ ($0 >> 3)) }
          let path = try pack([.file(Self.entry, noise)])
          try Data(try readFile(path).prefix(2000)).write(to: URL(filePath: path))
          return path
        case .noMetadata: return try pack([.file("Payload/A.app/Info.plist", [1])])
        case .emptyArchive: return try pack([])
        }
      }
    }

    @Test(arguments: Input.allCases) func isOneError(_ input: Input) async throws {
      let folder = try TemporaryFolder(name: "bad é input")
      let path = try input.make(in: folder)
      let before = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      for action in [["show"], ["check"], ["diff", path]] {
        let output = try await Carrel.invoke(["metadata"] + action + [path])
        #expect(output.status == input.expected.status, "\(input) \(output.allText)")
        #expect(output.text == "", "\(output.text)")
        let lines = output.errorText.split(separator: "\n")
        #expect(lines.count == 1 && lines[0].hasPrefix("carrel: "), "\(output.errorText)")
        #expect(output.errorText.contains(input.expected.text), "\(output.errorText)")
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == before)
    }
  }
}
