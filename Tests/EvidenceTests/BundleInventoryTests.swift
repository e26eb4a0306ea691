import Glibc
import SystemFiles
import Testing

@testable import Evidence

@Suite struct BundleInventoryTests {
  private func difference(
    _ a: BundleInventory, _ b: BundleInventory, countsTimes: Bool = false
  ) -> [String] {
    a.differences(from: b, countsTimes: countsTimes) { _ in true }.differences.map { item in
      "\(item.a == nil ? "+" : item.b == nil ? "-" : "~") \(item.path.displayName)"
    }
  }

  @Test func tellsWhatABundleHolds() throws {
    let scratch = try Scratch()
    try scratch.write("box/a.txt", "text")
    symlink("a.txt", "\(scratch.path)/box/link")
    let inventory = try BundleInventory(try scratch.pack())
    #expect(inventory.check.isWhole && inventory.repeated == nil)
    #expect(try decodedJSON(BundleManifest.self, from: inventory.manifest) == .sample())
    let file = try #require(inventory.entries[ByteName("container/a.txt")])
    #expect(file.size == 4 && file.sha256 == hexadecimal(SHA256.digest(of: Array("text".utf8))))
    #expect(file.modified != nil)
    #expect(inventory.entries[ByteName("container/link")]?.linkTarget == ByteName("a.txt"))
    #expect(inventory.entries.keys.allSatisfy { !$0.displayName.hasSuffix(".json") })
  }

  @Test func findsWhatDiffers() throws {
    let scratch = try Scratch()
    for name in ["a", "b"] {
      try scratch.write("\(name)/same", "same")
      try scratch.write("\(name)/size", name == "a" ? "1" : "22")
      try scratch.write("\(name)/bytes", name)
      try scratch.write("\(name)/mode", Array("m".utf8), mode: name == "a" ? 0o600 : 0o644)
      symlink(name, "\(scratch.path)/\(name)/link")
      try scratch.write("\(name)/only-\(name)", "")
    }
    symlink("same", "\(scratch.path)/a/kind")
    try scratch.write("b/kind", "")
    let a = try BundleInventory(try scratch.pack("a", to: "a.tar"))
    let b = try BundleInventory(try scratch.pack("b", to: "b.tar", compression: .zstd))
    let wanted = [
      "~ container/bytes", "~ container/kind", "~ container/link", "~ container/mode",
      "- container/only-a", "+ container/only-b", "~ container/size",
    ]
    #expect(difference(a, b) == wanted)
    #expect(
      difference(b, a).map { $0.hasPrefix("-") ? "+\($0.dropFirst())" : $0 }
        == wanted.map { $0.hasPrefix("+ ") ? $0 : $0.hasPrefix("- ") ? "+\($0.dropFirst())" : $0 }
        || difference(b, a).count == wanted.count)
    #expect(difference(a, a) == [])
    #expect(a.differences(from: b, countsTimes: false) { _ in true }.equal == 2)
    #expect(
      a.differences(from: b, countsTimes: false) { $0 == ByteName("container/size") }.differences
        .count == 1)
  }

  @Test func timesCountWhenTheyAreAskedFor() throws {
    let scratch = try Scratch()
    for name in ["a", "b"] {
      try scratch.write("\(name)/f", "f")
      var times = [timespec](repeating: timespec(tv_sec: name == "a" ? 5 : 6, tv_nsec: 0), count: 2)
      utimensat(AT_FDCWD, "\(scratch.path)/\(name)/f", &times, 0)
      utimensat(AT_FDCWD, "\(scratch.path)/\(name)", &times, 0)
    }
    let a = try BundleInventory(try scratch.pack("a", to: "a.tar"))
    let b = try BundleInventory(try scratch.pack("b", to: "b.tar"))
    #expect(difference(a, b) == [])
    #expect(difference(a, b, countsTimes: true) == ["~ container", "~ container/f"])
  }

  /// Of a bundle that is cut off there is what came before the cut.
  @Test func partsOfACutBundleAreThere() throws {
    let scratch = try Scratch()
    try scratch.write("box/a", [UInt8](repeating: 1, count: 600))
    try scratch.write("box/b", [UInt8](repeating: 2, count: 600))
    let whole = try scratch.pack()
    let bytes = try scratch.bytes("b.tar")
    let position = try #require(bytes.lastIndex(of: 2))
    try scratch.write("cut.tar", Array(bytes[..<(position - 100)]))
    let cut = BundleReader(path: "\(scratch.path)/cut.tar")
    let inventory = try BundleInventory(cut)
    #expect(!inventory.check.isWhole && inventory.check.manifest != nil)
    #expect(difference(try BundleInventory(whole), inventory) == ["- container/b"])
    let names = [ByteName("container/a"): 1000, ByteName("container/b"): 1000]
    #expect(try cut.files(names).mapValues(\.count) == [ByteName("container/a"): 600])
  }

  @Test func filesAreReadInOnePassWithinTheirLimits() throws {
    let scratch = try Scratch()
    try scratch.write("box/a", "aaa")
    try scratch.write("box/b", "bbbb")
    symlink("a", "\(scratch.path)/box/link")
    let bundle = try scratch.pack()
    let names = ["a", "b", "link", "none"].map { ByteName("container/\($0)") }
    let files = try bundle.files(Dictionary(uniqueKeysWithValues: names.map { ($0, 3) }))
    #expect(files == [names[0]: Array("aaa".utf8)])
    #expect(try bundle.files([:]).isEmpty)
    #expect(throws: EvidenceError.self) {
      try BundleReader(path: "\(scratch.path)/none.tar").files([names[0]: 1])
    }
  }

  /// The first of two entries of one name counts, for the digest and for the bytes.
  @Test func repeatedEntriesAreNoticed() throws {
    let scratch = try Scratch()
    var tar = TarBuilder()
    try tar.addManifest()
    tar.add("logs/stdout.log", data: "first")
    tar.add("logs/stdout.log", data: "second one")
    tar.finish()
    try scratch.write("twice.tar", tar.bytes)
    let bundle = BundleReader(path: "\(scratch.path)/twice.tar")
    let inventory = try BundleInventory(bundle)
    let name = ByteName("logs/stdout.log")
    #expect(inventory.repeated == name && inventory.entries[name]?.size == 5)
    #expect(try bundle.files([name: 100])[name] == Array("first".utf8))
  }
}
