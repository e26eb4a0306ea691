import FoundationEssentials

/// What SwiftPM's own build system wrote about the last build into `description.json` beside the
/// products. The Swift Build engine writes no such file.
package struct BuildDescription {
  /// A test product, with a path of the place where the package was built.
  package struct TestProduct: Decodable {
    package var binaryPath: String
    package var productName: String
  }

  private let members: JSONMembers

  /// - Parameter bytes: The content of the file.
  /// - Returns: `nil` when it is something else.
  package init?(_ bytes: [UInt8]) {
    guard let members = JSONMembers(of: bytes) else { return nil }
    self.members = members
  }

  package var testProducts: [TestProduct] {
    members.value(of: "builtTestProducts", as: [TestProduct].self) ?? []
  }

  /// All targets that a target depends on, by its name; `nil` when that was not written.
  package var targetDependencies: [String: [String]]? {
    members.value(of: "targetDependencyMap", as: [String: [String]].self)
  }

  /// The names of the products that were linked; `nil` when that was not written.
  package var linkedProducts: Set<String>? {
    guard let commands = members.text(of: "writeCommands"),
      let names = JSONMembers(of: commands)?.names
    else { return nil }
    let suffix = ".product/Objects.LinkFileList"
    return Set(
      names.filter { $0.hasSuffix(suffix) }.compactMap { name in
        name.dropLast(suffix.utf8.count).split(separator: "/").last.map { String($0) }
      })
  }
}
