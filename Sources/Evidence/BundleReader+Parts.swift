import FoundationEssentials
package import RunModel

extension BundleReader {
  /// The command of the batch; `nil` when the bundle has none.
  ///
  /// - Throws: ``EvidenceError`` when it cannot be read.
  package func command() throws -> RecordedCommand? {
    try readIfPresent(BundlePaths.command).map { try decoded(Data($0), of: BundlePaths.command) }
  }

  /// The header of the run that the bundle is from, as its events tell it; `nil` without such.
  ///
  /// - Throws: ``EvidenceError`` when there are events that cannot be read.
  package func runHeader() throws -> RunHeader? {
    guard let bytes = try readIfPresent(BundlePaths.events) else { return nil }
    for line in bytes.split(separator: 10) {
      let event: RunEvent = try decoded(Data(line), of: BundlePaths.events)
      if case .runStarted(let header) = event.kind { return header }
    }
    return nil
  }

  private func decoded<Value: Decodable>(_ data: Data, of name: String) throws -> Value {
    do {
      return try JSONDecoder().decode(Value.self, from: data)
    } catch {
      throw EvidenceError(
        .malformed, "'\(name)' in '\(ByteName(path).displayName)' cannot be read",
        context: ["path": path, "entry": name], cause: error)
    }
  }
}
