import Testing

@testable import RunEngine

@Suite struct PackageDescriptionTests {

  private static let json = #"""
    {"name": "Shop", "path": "/src", "products": [
      {"name": "shop", "targets": ["Shop-App", "Kit"], "type": {"executable": null}},
      {"name": "Kit", "targets": ["Kit"], "type": {"library": ["automatic"]}},
      {"name": "odd", "targets": ["Kit"], "type": {"executable": null}}],
     "targets": [
      {"name": "Shop-App", "c99name": "Shop_App", "type": "executable", "sources": ["A.swift"]},
      {"name": "Kit", "c99name": "Kit", "type": "library", "sources": ["K.swift", "L/M.swift"]},
      {"name": "ShopTests", "type": "test"}, {"type": "library"}]}
    """#

  @Test func productsAndTargets() throws {
    let description = try #require(PackageDescription(reading: Array(Self.json.utf8)))
    #expect(description.name == "Shop")
    #expect(description.executables == ["shop": "Shop_App"])
    #expect(description.targets.map(\.module) == ["Shop_App", "Kit", "ShopTests"])
    #expect(description.targets.map(\.type) == ["executable", "library", "test"])
    #expect(description.targets[1].sources == ["K.swift", "L/M.swift"])
  }

  @Test func linesBeforeTheDescription() throws {
    let bytes = Array("warning: a line of another program\n\(Self.json)".utf8)
    #expect(PackageDescription(reading: bytes)?.name == "Shop")
  }

  @Test(arguments: ["", "error: no package", "{", "{]"])
  func whatIsNoDescription(_ text: String) {
    #expect(PackageDescription(reading: Array(text.utf8)) == nil)
  }
}
