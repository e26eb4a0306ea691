import MetadataFiles
import SystemFiles
import TestSupport
import Testing

@Suite struct PackageStringsTests {
  private func write(_ files: [(String, String)], in root: String) throws {
    for (name, text) in files {
      try makeFolders(SystemFiles.folder(of: "\(root)/\(name)"))
      try writeSmallFile("\(root)/\(name)", Array(text.utf8))
    }
  }

  @Test func tablesAndCatalogs() throws {
    let folder = try TemporaryFolder(name: "strings é")
    try write(
      [
        ("Sources/App/en.lproj/Localizable.strings", #""a" = "A"; "b" = "B";"#),
        ("Sources/App/de.lproj/Localizable.strings", #""a" = "Ä";"#),
        ("Sources/App/de.lproj/broken.strings", #""c" = "#), ("Sources/App/de.lproj/x.txt", "d"),
        (
          "Sources/Kit/Localizable.xcstrings",
          #"{"sourceLanguage":"en","strings":{"k":{"localizations":{"fr":{}}},"l":{}}}"#
        ),
        (".build/en.lproj/Localizable.strings", #""built" = "x";"#),
      ], in: folder.path)
    #expect(
      PackageStrings.keys(in: folder.path) == [
        "en": ["a", "b", "k", "l"], "de": ["a"], "fr": ["k"],
      ])
  }

  @Test func packagesWithoutTables() throws {
    let folder = try TemporaryFolder()
    try write([("Sources/App/App.swift", ""), ("x.xcstrings", "{")], in: folder.path)
    #expect(PackageStrings.keys(in: folder.path) == nil)
    #expect(PackageStrings.keys(in: folder.path + "/none") == nil)
  }
}
