import Glibc
import IntentMetadata
import IntentSystem
import IntentWire
import RunModel
import SwiftTests
import SystemFiles

/// Holds the names in the sources of tests that call apps against what the apps have registered, so
/// that one that is mistyped is told before the first test.
struct IntentNameCheck {
  /// Problems that a run tells; more are counted.
  static let mostProblems = 50

  let apps: [AppDescription]
  /// Whether these are all apps of the package; an app that cannot be asked may have any name.
  let isComplete: Bool

  init(apps: [AppDescription], isComplete: Bool) {
    self.apps = apps
    self.isComplete = isComplete
  }

  /// Looks at the sources of test modules, as SwiftPM has written down where they are.
  ///
  /// - Parameters:
  ///   - modules: By name.
  ///   - products: The folder with what the build made.
  ///   - package: The folder that files are named relative to.
  func problems(
    inModules modules: Set<String>, products: String, package: String
  ) -> [RunProblem] {
    guard !apps.isEmpty else { return [] }
    var problems: [RunProblem] = []
    for module in modules.sorted() {
      for path in LinkedObjects.sources(ofModule: module, in: products) {
        guard let bytes = readSmallFile(path, .regularFileOnly),
          Self.mayName(bytes)
        else { continue }
        let prefix = package + "/"
        let file = path.hasPrefix(prefix) ? String(path.dropFirst(prefix.count)) : path
        problems += self.problems(in: bytes, file: file)
      }
    }
    guard problems.count > Self.mostProblems else { return problems }
    let more = problems.count - Self.mostProblems
    return problems.prefix(Self.mostProblems) + [
      RunProblem(
        severity: .warning, code: .nameNotRegistered,
        message: "\(more) more names in tests are not registered")
    ]
  }

  /// Spares most files from being taken apart.
  private static func mayName(_ bytes: [UInt8]) -> Bool {
    let library: StaticString = "AppIntentsTesting"
    let count = library.utf8CodeUnitCount
    return bytes.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return false }
      var place = 0
      while place + count <= bytes.count,
        let found = memchr(
          start + place, Int32(library.utf8Start[0]), bytes.count - count - place + 1)
      {
        if memcmp(found, library.utf8Start, count) == 0 { return true }
        place = UnsafeRawPointer(found) - start + 1
      }
      return false
    }
  }

  /// - Parameter file: As problems name it.
  func problems(in source: [UInt8], file: String) -> [RunProblem] {
    NamedDefinition.all(in: source).compactMap { name in
      complaint(name).map {
        RunProblem(
          severity: .warning, code: .nameNotRegistered, message: "\(file):\(name.line): \($0)")
      }
    }
  }

  /// What is wrong with a name; `nil` when an app has it, or may.
  private func complaint(_ name: NamedDefinition) -> String? {
    var asked = apps
    if let bundle = name.bundleIdentifier {
      asked = apps.filter { $0.bundleIdentifier == bundle }
      if asked.isEmpty {
        guard isComplete else { return nil }
        return "no app of the package is '\(bundle)'"
          + didYouMean(Self.nearest(bundle, apps.map(\.bundleIdentifier)))
      }
    } else if !isComplete {
      return nil
    }
    let known = asked.flatMap { Self.names(name.kind, of: $0) }
    guard !known.contains(name.name) else { return nil }
    let what = "\(name.kind.rawValue) '\(name.name)'"
    let owner = name.bundleIdentifier ?? "no app"
    let verb = name.bundleIdentifier == nil ? "has registered an" : "has not registered an"
    return "\(owner) \(verb) \(what)" + didYouMean(Self.nearest(name.name, known))
  }

  private static func names(_ kind: NamedDefinition.Kind, of app: AppDescription) -> [String] {
    switch kind {
    case .intent: app.intents.map(\.identifier)
    case .entity: app.entities.map(\.identifier)
    case .enumeration: app.enumerations.map(\.identifier)
    }
  }

  /// Up to three names that are at most a third away, the nearest first.
  private static func nearest(_ name: String, _ known: [String]) -> [String] {
    let wanted = Array(name.lowercased().utf8.prefix(200))
    let limit = max(wanted.count / 3, 1)
    return Set(known).compactMap { candidate in
      editDistance(wanted, Array(candidate.lowercased().utf8), limit: limit).map { (candidate, $0) }
    }.sorted { ($0.1, $0.0) < ($1.1, $1.0) }.prefix(3).map(\.0)
  }
}
