import IntentWire

/// What SwiftPM says of a package's products and targets.
struct PackageDescription {
  struct Target {
    /// The name of its module.
    var module: String
    /// `executable`, `library`, `test` …
    var type: String
    /// Source files relative to the target's folder.
    var sources: [String]
  }

  private(set) var name = ""
  private(set) var targets: [Target] = []
  /// The module with the entry point of each executable product, by the product's name.
  private(set) var executables: [String: String] = [:]

  /// - Parameter bytes: The output of `swift package describe --type json`; lines before the JSON
  ///   are left alone.
  init?(reading bytes: [UInt8]) {
    guard let start = bytes.firstIndex(of: UInt8(ascii: "{")),
      let json = try? WireJSON(reading: Array(bytes[start...]))
    else { return nil }
    name = json["name"]?.string ?? ""
    var modules: [String: Target] = [:]
    for target in json["targets"]?.array ?? [] {
      guard let name = target["name"]?.string else { continue }
      let described = Target(
        module: target["c99name"]?.string ?? name, type: target["type"]?.string ?? "",
        sources: (target["sources"]?.array ?? []).compactMap(\.string))
      targets.append(described)
      modules[name] = described
    }
    for product in json["products"]?.array ?? [] {
      guard let name = product["name"]?.string, product["type"]?["executable"] != nil else {
        continue
      }
      let main = (product["targets"]?.array ?? []).compactMap(\.string)
        .first { modules[$0]?.type == "executable" }
      executables[name] = main.flatMap { modules[$0]?.module }
    }
  }
}
