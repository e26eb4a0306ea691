import Evidence
import RunModel
import SwiftTests

/// Holds a toolchain against the manifest of a package, piece by piece as the facts become known.
struct ToolchainCheck {
  /// Differences that an error names one by one.
  private static let most = 5

  private(set) var survey: ToolchainSurvey
  private(set) var facts = ToolchainFacts()
  private let wanted: ToolchainFacts?
  /// What the toolchain was of a run that is to be repeated, without what was built.
  private let original: ToolchainFacts?
  private var choice: ToolchainChoice { survey.choice }

  init(_ choice: ToolchainChoice, original: ToolchainFacts? = nil, cache: String?) {
    // Whether it had sandboxes is said by its isolation.
    self.original = original?.only { !$0.isOfBuild && $0 != .sandbox }
    survey = ToolchainSurvey(choice, cache: cache)
    wanted = choice.manifest?.facts
  }

  /// Everything that is known before the build.
  ///
  /// - Returns: Warnings.
  /// - Throws: ``SwiftTestsError`` with the code `toolchainDiffers`.
  mutating func beforeBuild() throws(SwiftTestsError) -> [RunProblem] {
    let names = [wanted, original].compactMap { $0?.values.keys }.flatMap { $0 }
    let kinds = Set(names.compactMap { ToolchainFactKind(of: $0) })
    facts = survey.facts { kinds.contains($0) }
    let libraries = names.compactMap { ToolchainFactKind.libraryName(of: $0) }
    let runtime = survey.runtimeFacts(named: libraries)
    survey.save()
    try checkOriginal(facts.merging(runtime))
    return try check(facts.merging(runtime)) { !$0.isOfBuild }
  }

  /// Refuses to repeat a run with a toolchain that can give other results.
  private func checkOriginal(_ found: ToolchainFacts) throws(SwiftTestsError) {
    guard let original else { return }
    let errors = found.differences(from: original).filter { $0.weight(choice.policy) == .error }
    guard !errors.isEmpty else { return }
    throw SwiftTestsError(
      .toolchainDiffers,
      "\(choice.shown) is not what the test failed with: "
        + errors.map(\.description).joined(separator: "; "),
      context: ["policy": choice.policy.rawValue, "against": "bundle"])
  }

  /// The test products and apps, after the build.
  ///
  /// - Parameter folder: The folder with what the build made.
  mutating func afterBuild(
    _ products: [TestProduct], in folder: String
  ) throws(SwiftTestsError) -> [RunProblem] {
    guard
      wanted?.values.keys.contains(where: { ToolchainFactKind(of: $0)?.isOfBuild ?? false })
        ?? false
    else { return [] }
    let found = survey.buildFacts(products, in: folder)
    survey.save()
    return try check(found, \.isOfBuild)
  }

  /// Digests of test products and apps.
  mutating func buildFacts(_ products: [TestProduct], in folder: String) -> ToolchainFacts {
    defer { survey.save() }
    return survey.buildFacts(products, in: folder)
  }

  /// Fills in the digests that a record has, too.
  mutating func complete(with executables: [String]) {
    facts = facts.merging(survey.facts { $0 == .compilerDigest })
      .merging(survey.runtimeFacts(of: executables))
    survey.save()
  }

  /// What is not as it should be, for people.
  private var subject: String {
    choice.isOfArchive
      ? "the machine with the libraries in \(choice.toolchain.runtimeFolder) is not"
      : "\(choice.shown) is not"
  }

  private func check(
    _ found: ToolchainFacts, _ isCompared: (ToolchainFactKind) -> Bool
  ) throws(SwiftTestsError) -> [RunProblem] {
    guard let wanted else { return [] }
    let differences = found.differences(from: wanted.only(isCompared))
    let errors = differences.filter { $0.weight(choice.policy) == .error }
    let path = choice.manifestPath
    guard errors.isEmpty else {
      let rest = errors.count - Self.most
      throw SwiftTestsError(
        .toolchainDiffers,
        "\(subject) \(choice.isOfArchive ? "that" : "the toolchain") of \(path): "
          + errors.prefix(Self.most).map(\.description).joined(separator: "; ")
          + (rest > 0 ? "; and \(rest) more" : ""),
        context: [
          "path": path, "policy": choice.policy.rawValue,
          "isOfArchive": "\(choice.isOfArchive)",
        ])
    }
    let warnings = differences.filter { $0.weight(choice.policy) == .warning }
    guard !warnings.isEmpty else { return [] }
    let rest = warnings.count - Self.most
    return [
      RunProblem(
        severity: .warning, code: .toolchainDiffers,
        message: "\(subject) quite \(choice.isOfArchive ? "that" : "the toolchain") of \(path): "
          + warnings.prefix(Self.most).map(\.description).joined(separator: "; ")
          + (rest > 0 ? "; and \(rest) more" : "")
          + (choice.isOfArchive ? "" : "; 'carrel toolchain pin' accepts it as it is"))
    ]
  }
}
