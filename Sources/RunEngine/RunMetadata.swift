import IntentMetadata
import IntentSystem
import IntentWire
import RunModel
import SystemFiles

/// What a run finds out about the registration of its apps before its first test.
struct RunMetadata {
  private(set) var problems: [RunProblem] = []
  /// The declared metadata of each app, as `extract.actionsdata` has it, by bundle identifier.
  private(set) var declared: [String: [UInt8]] = [:]

  /// Extracts what the sources declare, and holds it against what the apps have registered.
  ///
  /// - Parameters:
  ///   - apps: Those of the run; they have been asked already.
  ///   - extract: Builds the package for it. What it throws is told as a problem, because tests
  ///     can be run without.
  init(of apps: [InstalledApp], _ extract: () throws -> MetadataExtraction.Outcome) {
    let outcome: MetadataExtraction.Outcome
    do {
      outcome = try extract()
    } catch {
      problems.append(
        RunProblem(
          severity: .warning, code: .metadataMissing,
          message: "the apps' metadata could not be extracted: \(error)"))
      return
    }
    guard outcome.interruption == nil else { return }
    for app in apps {
      let name = lastComponent(of: app.executable)
      guard let found = outcome.apps.first(where: { $0.name == name }) else {
        problems.append(
          RunProblem(
            severity: .warning, code: .metadataMissing,
            message: "there is no metadata of \(app.bundleIdentifier): the build of '\(name)' has "
              + "written none"))
        continue
      }
      declared[app.bundleIdentifier] = found.declared.metadata.json.bytes
      problems += RegistrationDifference.all(
        declared: found.declared.metadata, registered: app.description
      ).map { difference in
        let place = found.declared.locations[difference.item].map { "\($0): " } ?? ""
        return RunProblem(
          severity: .warning, code: .registrationDiffers,
          message: "\(place)\(app.bundleIdentifier): \(difference.message)")
      }
    }
  }
}
