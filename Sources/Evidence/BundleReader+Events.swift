import FoundationEssentials
package import RunModel

extension BundleReader {
  /// The batch of the attempt, as the bundle's events tell it; `nil` when they do not.
  ///
  /// - Throws: ``EvidenceError`` when the bundle cannot be read.
  package func batchStart() throws -> BatchStart? {
    guard let bytes = try readIfPresent(BundlePaths.events) else { return nil }
    for line in bytes.split(separator: 10) {
      let event = try? JSONDecoder().decode(RunEvent.self, from: Data(line))
      if case .batchStarted(let start)? = event?.kind { return start }
    }
    return nil
  }
}
