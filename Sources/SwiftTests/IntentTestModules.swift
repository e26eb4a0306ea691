package import RunModel
import SystemFiles

/// The test modules of a product that call apps through the intent system: those whose target
/// depends on AppIntentsTesting, itself or through another target, as SwiftPM wrote it down.
package enum IntentTestModules: Sendable, Equatable {
  /// The product has nothing of AppIntentsTesting in it.
  case noModule
  /// These and no others.
  case only(Set<String>)
  /// Another build system has written nothing down, so it can be any.
  case anyModule

  private static let library = "AppIntentsTesting"
  /// The section that the library brings along.
  private static let mark = "carrel_intent_test"

  /// Looks at a product and, when it has the library in it, at what the build wrote beside it.
  ///
  /// - Parameter product: A product of the last build.
  package init(of product: TestProduct) {
    guard Self.hasMark(product.executable) else {
      self = .noModule
      return
    }
    let path = folder(of: product.executable) + "/description.json"
    self = readSmallFile(path).flatMap { Self(description: $0) } ?? .anyModule
  }

  /// - Parameter description: What SwiftPM's own build system wrote.
  /// - Returns: `nil` when it does not tell dependencies.
  init?(description: [UInt8]) {
    guard let map = BuildDescription(description)?.targetDependencies, map[Self.library] != nil
    else { return nil }
    self = .only(Set(map.filter { $0.value.contains(Self.library) }.keys.map(Self.moduleName)))
  }

  /// Whether a test calls apps, or may.
  package func contains(_ test: TestID) -> Bool {
    switch self {
    case .noModule: false
    case .only(let modules): modules.contains(String(test.name.prefix { $0 != "." }))
    case .anyModule: true
    }
  }

  /// A target's name as a C99 identifier, which is the name of its module.
  private static func moduleName(_ target: String) -> String {
    String(target.map { $0.isLetter || $0.isNumber || $0 == "_" ? $0 : "_" })
  }

  /// The library's code is in the executable or, with another build system, in a library beside it.
  private static func hasMark(_ executable: String) -> Bool {
    if hasSection(mark, inExecutable: executable) { return true }
    let suffix = "-test-runner"
    return executable.hasSuffix(suffix)
      && hasSection(mark, inExecutable: executable.dropLast(suffix.count) + ".so")
  }
}
