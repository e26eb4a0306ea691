import RunModel
import SystemFiles
import TestSupport
import Testing
import Workers

@testable import RunEngine

@Suite struct AppMemoryTests {
  private let folder: TemporaryFolder
  private let app: String

  init() throws {
    folder = try TemporaryFolder(name: "äpps")
    app = folder.path(of: "App one")
    try writeSmallFile(app, Array("first".utf8))
  }

  private func memory(_ caller: [String: String] = [:], products: String = "/p") -> AppMemory {
    AppMemory(
      folder: products, cache: folder.path(of: "cache"),
      environment: TestEnvironment(caller: caller, additional: ["FEATURE"]))
  }

  private func remember(_ answer: String, at path: String? = nil) {
    let path = path ?? app
    memory().save(
      [path: Array(answer.utf8)], stamps: [path: FileStamp(path: path)?.line ?? "0 0 0 0 0"])
  }

  @Test func whatAnAppSaidComesBack() {
    #expect(memory().answer(of: app) == nil)
    remember("{\"bundle\":\"a\"}\n")
    #expect(memory().answer(of: app) == Array("{\"bundle\":\"a\"}".utf8))
    #expect(memory().answer(of: folder.path(of: "Other")) == nil)
    #expect(memory(products: "/q").answer(of: app) == nil)
  }

  @Test func aChangedAppIsAskedAgain() throws {
    remember("{}")
    try writeSmallFile(app, Array("other".utf8))
    #expect(memory().answer(of: app) == nil)
  }

  @Test func anAppIsAskedAgainWhenItsEnvironmentChanges() {
    remember("{}")
    #expect(memory(["FEATURE": "1"]).answer(of: app) == nil)
    #expect(memory(["UNRELATED": "1"]).answer(of: app) != nil)
  }

  @Test func whatDoesNotFitIntoALineIsNotRemembered() throws {
    remember("{\n}")
    #expect(memory().answer(of: app) == nil)
    let strange = folder.path(of: "a\nb")
    try writeSmallFile(strange, Array("first".utf8))
    remember("{}", at: strange)
    #expect(memory().answer(of: strange) == nil)
  }

  @Test func garbageIsForgotten() throws {
    remember("{}")
    let cache = folder.path(of: "cache/products")
    let name = try #require(folderEntries(cache)?.first { $0.hasSuffix(".apps") })
    let bytes = try #require(readSmallFile("\(cache)/\(name)"))
    for end in 0..<bytes.count {
      try writeSmallFile("\(cache)/\(name)", Array(bytes[..<end]))
      #expect(memory().answer(of: app) == nil, "\(end) bytes")
    }
  }
}
