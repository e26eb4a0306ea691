package import RunModel

/// The compiler that apps shall have been built with.
package struct ExpectedCompiler: Hashable, Sendable {
  package var version: SwiftVersion
  /// Version and revision of its `clang`, as that says them; `nil` when they are not known.
  package var clang: String?
  /// Where it is.
  package var path: String

  package init(version: SwiftVersion, clang: String?, path: String) {
    self.version = version
    self.clang = clang
    self.path = path
  }

  /// Compares with what an app says of itself. Apps in other languages, and those that do not say
  /// it, are not compared.
  ///
  /// - Parameters:
  ///   - compiler: `Swift MAJOR.MINOR.PATCH`, with ` or newer` when the app knows no more.
  ///   - clang: What `clang --version` says after `clang version`.
  /// - Returns: The two in a sentence; `nil` when they fit.
  func mismatch(compiler: String?, clang: String?) -> String? {
    let prefix = "Swift "
    let openEnd = " or newer"
    guard let compiler, compiler.hasPrefix(prefix) else { return nil }
    let isOpen = compiler.hasSuffix(openEnd)
    let text = compiler.dropFirst(prefix.count).dropLast(isOpen ? openEnd.count : 0)
    guard let found = SwiftVersion(parsing: text) else { return nil }
    // Who does not say the patch number has any.
    let count = text.split(separator: ".").count
    let isSame =
      isOpen
      ? !version.numbers.lexicographicallyPrecedes(found.numbers)
      : version.numbers.prefix(count) == found.numbers.prefix(count)
    // Some compilers write a space after their version.
    let revision = clang.map { String($0.reversed().drop { $0 == " " }.reversed()) } ?? ""
    let other = self.clang.flatMap { wanted in
      revision.isEmpty || wanted == revision ? nil : (wanted: wanted, found: revision)
    }
    guard !isSame || other != nil else { return nil }
    let own = "Swift \(version)" + (version.build.map { " (\($0))" } ?? "")
    return "was compiled with \(compiler)\(other.map { " (clang \($0.found))" } ?? ""), and the "
      + "run is pinned to \(own)\(other.map { " (clang \($0.wanted))" } ?? "") in \(path)"
  }
}
