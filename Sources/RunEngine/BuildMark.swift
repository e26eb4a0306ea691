import FoundationEssentials
import Glibc
import RunModel
import SwiftTests
import SystemFiles

/// Who built what is in the folder of products: `carrel-build.json` there, and SwiftPM's own note
/// of the compiler.
///
/// Modules of one compiler cannot be read by another, and a product loads the libraries of the
/// toolchain that linked it; so nothing is kept of what another toolchain has built.
struct BuildMark: Codable, Hashable, Sendable {
  /// Says of the toolchain what a copy of the folder does not change: path and versions.
  var toolchain: String
  /// For people.
  var shown: String
  /// SwiftPM's notes after the build; others mean that somebody else has built since.
  var notes: [String]

  private static let name = "carrel-build.json"

  init(_ choice: ToolchainChoice, notes: [String]) {
    let description = choice.description
    toolchain = [choice.toolchain.binFolder, description.version, description.clang]
      .map { $0 ?? "" }.joined(separator: "\n")
    shown = choice.shown
    self.notes = notes
  }

  /// Reads the mark of a folder of products; `nil` when there is none.
  init?(in products: String) {
    guard let bytes = readSmallFile("\(products)/\(Self.name)"),
      let mark = try? JSONDecoder().decode(BuildMark.self, from: Data(bytes))
    else { return nil }
    self = mark
  }

  /// Leaves the mark. Without it SwiftPM's notes have to do.
  func write(in products: String) {
    guard self != BuildMark(in: products), let bytes = try? JSONEncoder().encode(self) else {
      return
    }
    try? writeFileAtomically(Array(bytes), to: "\(products)/\(Self.name)")
  }

  /// Finds out whether the products of a package were built by another toolchain.
  ///
  /// - Returns: The other one for people; `nil` when it was this one, and when nothing tells.
  static func otherBuilder(of location: BuildLocation, than choice: ToolchainChoice) -> String? {
    // Who does not say its version builds nothing either.
    guard let version = choice.description.swiftVersion else { return nil }
    let notes = location.compilerNotes()
    if let mark = BuildMark(in: location.products), mark.notes == notes {
      let own = BuildMark(choice, notes: notes)
      return mark.toolchain == own.toolchain ? nil : mark.shown
    }
    if !notes.isEmpty {
      let versions = notes.compactMap { SwiftVersion(describedBy: $0) }
      if !versions.isEmpty, !versions.contains(version) { return notes.last }
    }
    let runtime = choice.toolchain.runtimeFolder
    guard access(runtime, F_OK) == 0, let products = try? location.testProducts() else {
      return nil
    }
    let folders = RuntimeLibraries(
      of: products.map(\.executable), runtimeFolder: runtime
    ).folders
    return folders.subtracting([runtime]).min().map { "a toolchain whose libraries are in \($0)" }
  }

  /// Removes what was built, when it lies in the scratch folder.
  ///
  /// - Returns: Whether it is gone.
  static func removeProducts(of location: BuildLocation) -> Bool {
    guard let folder = existingPath(location.products),
      let scratch = existingPath(location.scratch), folder.hasPrefix(scratch + "/")
    else { return false }
    removeTree(folder)
    return access(folder, F_OK) != 0
  }
}

extension ToolchainChoice {
  /// `Swift 6.3.1 (swift-6.3.1-RELEASE) in /opt/swift-6.3.1/usr/bin`.
  var shown: String {
    let version = description.version.flatMap { text in
      text.firstRange(of: "Swift version ").map { "Swift \(text[$0.upperBound...])" }
    }
    return "\(version ?? "a toolchain") in \(toolchain.binFolder)"
  }
}
