import SystemFiles
import TestSupport
import Testing
import Workers

@testable import SwiftTests

@Suite struct MetadataBuildTests {
  private func build() -> MetadataBuild {
    MetadataBuild(
      toolchain: Toolchain(binFolder: "/swift/bin"),
      location: BuildLocation(package: "/src/Näh ung", scratch: nil, configuration: "release"),
      extraFlags: ["-Xswiftc", "-DX"])
  }

  @Test func buildsInAFolderOfItsOwn() {
    let build = build()
    #expect(build.location.scratch == "/src/Näh ung/.build/carrel-metadata")
    let request = build.request(environment: ["A": "b"])
    #expect(request.executable == "/swift/bin/swift" && request.arguments[0] == "build")
    let arguments = request.arguments
    #expect(
      arguments[(arguments.firstIndex(of: "--scratch-path") ?? 0) + 1] == build.location.scratch)
    #expect(arguments.suffix(2) == ["-Xswiftc", "-DX"] && arguments.contains("release"))
    #expect(arguments.contains("-emit-const-values") && arguments.contains(build.protocolsFile))
    #expect(request.environment["A"] == "b")
    #expect(
      build.description(environment: [:]).arguments.suffix(3) == ["describe", "--type", "json"])
  }

  /// The compiler takes a list of strings in JSON.
  @Test func protocolsAreNamedForTheCompiler() {
    #expect(
      String(decoding: MetadataBuild.protocolsText, as: UTF8.self)
        == #"["AppEntity","AppEnum","AppIntent","AppShortcutsProvider","EntityQuery"]"# + "\n")
  }
}

@Suite struct LinkedObjectsTests {
  @Test func pathsAreUnquoted() {
    let list = """
      /a/b.o
      '/a b/c'\\''d.o'
      /a\\ b.o

      /é.o
      """
    #expect(
      LinkedObjects.paths(Array(list.utf8)) == ["/a/b.o", "/a b/c'd.o", "/a b.o", "/é.o"])
    #expect(LinkedObjects.paths([]) == [])
  }

  @Test func listsOfProductsAndModules() throws {
    let folder = try TemporaryFolder()
    for (name, text) in [
      ("App.product/Objects.LinkFileList", "/b/App.build/A.swift.o\n"),
      ("Empty.product/other", ""), ("App.build/sources", "'/src/é x/A.swift'\n/src/B.swift\n"),
    ] {
      try makeFolders(SystemFiles.folder(of: folder.path(of: name)))
      try writeSmallFile(folder.path(of: name), Array(text.utf8))
    }
    #expect(LinkedObjects.read(in: folder.path) == ["App": ["/b/App.build/A.swift.o"]])
    #expect(
      LinkedObjects.sources(ofModule: "App", in: folder.path) == [
        "/src/é x/A.swift", "/src/B.swift",
      ])
    #expect(LinkedObjects.sources(ofModule: "None", in: folder.path) == [])
    #expect(LinkedObjects.read(in: folder.path(of: "none")) == [:])
  }
}
