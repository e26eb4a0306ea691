import Evidence
import Glibc
import IntentWire
import SearchIndex
import SystemFiles
import TestSupport
import Testing
import Workers

@testable import RunEngine

/// What of a container's index gets into a bundle.
@Suite struct PackedIndexTests {
  private let folder: TemporaryFolder
  private let container: Container
  private let redaction: BundleRedactionChoice
  private static let secret = "swordfish-4711-tuna"

  init() throws {
    folder = try TemporaryFolder(name: "ä b")
    container = Container(root: folder.path)
    redaction = try RedactionOptions().choice(environment: ["APP_PASSWORD": Self.secret])
  }

  private func fill(_ text: String) throws {
    try SearchIndex.createEmpty(at: container.index)
    try SearchIndex(path: container.index).apply(
      .upsert([.init(type: "Note", identifier: "1", fields: [.init("title", text)])]))
  }

  @Test func anIndexWithoutSecretsIsAsItIs() throws {
    try fill("shopping")
    #expect(PackedIndex(of: container, redaction: redaction) == .asItIs)
    unlink(container.index)
    try fill(Self.secret)
    #expect(PackedIndex(of: container, redaction: .off) == .asItIs)
    #expect(PackedIndex(of: container, redaction: nil) == .asItIs)
  }

  @Test func anIndexWithASecretIsMadeAnew() throws {
    try fill("the word is \(Self.secret)")
    guard
      case .replaced(let path, let removed) = PackedIndex(of: container, redaction: redaction)
    else {
      Issue.record("it is not made anew")
      return
    }
    #expect(removed == [SecretSearch.variableRule: 1])
    let entries = try SearchIndex(path: path).entries()
    #expect(entries.count == 1 && entries[0].identifier == "1")
    #expect(
      !String(decoding: try readFile(path, maxBytes: 1 << 24), as: UTF8.self).contains("swordfish"))
  }

  /// A folder is where the new index is to be.
  @Test func anIndexThatCannotBeMadeAnewIsLeftOut() throws {
    try fill(Self.secret)
    try makeFolders(container.root + "/index-without-secrets.sqlite")
    guard case .omitted = PackedIndex(of: container, redaction: redaction) else {
      Issue.record("the index with the secret is packed")
      return
    }
  }

  /// Its words may be in it in small letters and in pieces.
  @Test func aDatabaseThatCannotBeReadIsLeftOut() throws {
    try writeSmallFile(
      container.index, Array("SQLite format 3\0".utf8) + [UInt8](repeating: 0xFF, count: 5_000))
    guard case .omitted = PackedIndex(of: container, redaction: redaction) else {
      Issue.record("a database that nobody has read is packed")
      return
    }
    #expect(PackedIndex(of: container, redaction: .off) == .asItIs)
  }

  /// The packer searches it, or notes it, like any other file.
  @Test func whatIsNoDatabaseIsAsItIs() throws {
    #expect(PackedIndex(of: container, redaction: redaction) == .asItIs)
    try writeSmallFile(container.index, Array("a text".utf8))
    #expect(PackedIndex(of: container, redaction: redaction) == .asItIs)
    unlink(container.index)
    mkfifo(container.index, 0o600)
    #expect(PackedIndex(of: container, redaction: redaction) == .asItIs)
  }
}
