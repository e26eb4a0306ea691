package import Evidence
import Glibc
package import RunModel
import SwiftTests
import SystemFiles
import Workers

/// Builds a package's tests and takes down what they were built with and load.
package struct ToolchainPin {
  /// What came of it.
  package struct Outcome {
    package var manifest: ToolchainManifest
    /// The toolchain, for people.
    package var toolchain: String
    package var problems: [RunProblem]
    /// Name of the signal that asked for the end.
    package var interruption: String?
  }

  private let package: PackageConfiguration
  private let workFolder: String?
  private let listener: any RunListener

  /// - Parameter workFolder: The folder for the folders of all runs; `nil` for the usual one.
  package init(
    _ package: PackageConfiguration, workFolder: String?, listener: any RunListener
  ) {
    var package = package
    // What is pinned now says nothing about what is to be pinned.
    package.toolchain.policy = .off
    self.package = package
    self.workFolder = workFolder
    self.listener = listener
  }

  /// - Parameter withBuild: Whether digests of test products and apps are part of it.
  package func perform(withBuild: Bool) throws -> Outcome {
    let workplace = try Workplace(package, folder: workFolder, listener: listener)
    defer { workplace.close() }
    let catalog = try workplace.makeCatalog()
    var survey = ToolchainSurvey(workplace.choice, cache: catalog.cache)
    var facts = (catalog.toolchain?.facts ?? ToolchainFacts()).merging(survey.facts())
    if withBuild {
      facts = facts.merging(
        survey.buildFacts(catalog.products, in: workplace.package.location.products))
    }
    survey.save()
    return Outcome(
      manifest: ToolchainManifest(
        facts: ToolchainSurvey.pinned(facts, withBuild: withBuild)),
      toolchain: workplace.choice.shown, problems: catalog.problems,
      interruption: workplace.supervisor.interruption)
  }
}

/// Compares the toolchain that a package would be run with, and what is built, with facts.
package struct ToolchainVerification {
  /// What came of it.
  package struct Outcome {
    /// The toolchain, for people.
    package var toolchain: String
    /// Why it is this one.
    package var reason: String
    /// Why it is not the one that is wanted; `nil` when that was found.
    package var missing: String?
    /// The most telling first.
    package var differences: [ToolchainDifference]
    /// Number of facts that were compared.
    package var compared: Int
    /// Names of facts that this version of Carrel does not know.
    package var unknown: [String]
  }

  private let package: PackageConfiguration

  package init(_ package: PackageConfiguration) { self.package = package }

  /// - Parameter wanted: What the facts shall be.
  /// - Throws: As the search for the toolchain does.
  package func perform(against wanted: ToolchainFacts) throws -> Outcome {
    let supervisor = try Supervisor()
    defer { supervisor.watchdog?.end() }
    let cache = try? PrivateFolder.cache(environment: package.environment)
    let probe = ToolchainProbe(
      supervisor: supervisor, cache: cache, environment: package.environment)
    func choose(_ request: ToolchainRequest) throws -> ToolchainChoice {
      try ToolchainChoice.choose(
        request, package: package.location.package, environment: package.environment,
        probe: probe)
    }
    var missing: String?
    let choice: ToolchainChoice
    do {
      choice = try choose(package.toolchain)
    } catch let error as SwiftTestsError where error.code == .toolchainNotInstalled {
      missing = error.message
      // Of all others, the first on PATH is what people have in mind.
      guard let other = ToolchainSearch(environment: package.environment).onPath() else {
        throw error
      }
      choice = try choose(ToolchainRequest(path: other.binFolder, policy: .off))
    }
    var survey = ToolchainSurvey(choice, cache: cache)
    let kinds = Set(wanted.values.keys.compactMap { ToolchainFactKind(of: $0) })
    let names = wanted.values.keys.compactMap { ToolchainFactKind.libraryName(of: $0) }
    var facts = survey.facts { kinds.contains($0) }.merging(survey.runtimeFacts(named: names))
    if kinds.contains(where: \.isOfBuild) {
      let products = (try? package.location.testProducts()) ?? []
      facts = facts.merging(survey.buildFacts(products, in: package.location.products))
    }
    survey.save()
    return Outcome(
      toolchain: choice.shown,
      reason: missing == nil ? choice.reason : "it comes first on PATH", missing: missing,
      differences: facts.differences(from: wanted),
      compared: wanted.values.count - wanted.unknownNames.count, unknown: wanted.unknownNames)
  }
}
