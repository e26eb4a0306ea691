import SystemFiles
import TestSupport
import Testing

@testable import CarrelCLI

@Suite struct RunReferenceTests {
  @Test func aPackageAloneStandsForItsNewestRun() throws {
    let folder = try TemporaryFolder(prefix: "carrel paquet é-")
    try makeFolders(folder.path(of: "package"))
    try writeSmallFile(folder.path(of: "package/Package.swift"), [])
    var context = CommandContext(environment: [:])
    // Paths start from the folder of the command, whatever the current one is.
    context.folder = folder.path
    for package in ["package", "./package", folder.path(of: "package")] {
      let (run, named) = RunReference.split([package], context)
      #expect(run == "latest" && named == package)
    }
    context.folder = folder.path(of: "package")
    let (run, named) = RunReference.split(["."], context)
    #expect(run == "latest" && named == ".")
    #expect(RunReference.split(["package"], context).run == "package")
    #expect(RunReference.split([], context).run == "latest")
    let both = RunReference.split(["2026", "package"], context)
    #expect(both.run == "2026" && both.package == "package")
  }
}
