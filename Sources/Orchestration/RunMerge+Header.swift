package import RunModel

extension RunMerge {
  /// The header of a log with all of this.
  ///
  /// What a header has to say is that of the run with the smallest ID, except: the weakest level of
  /// isolation, the sum of the workers, and the strictest word on leaks. Paths that tests could or
  /// seemed to write to are those of all; other keys that may be missing, and that the runs do not
  /// agree in, are left out.
  ///
  /// - Parameters:
  ///   - runID: The ID of the merged run.
  ///   - carrel: The version of Carrel.
  ///   - arguments: The command line.
  package func header(runID: String, carrel: String, arguments: [String]) -> RunHeader {
    let headers = sources.map(\.header)
    var header = headers[0]
    header.format = eventLogFormat
    header.runID = runID
    header.carrel = carrel
    header.arguments = arguments
    header.workers = headers.reduce(0) { $0 + $1.workers }
    header.batch = headers.common(\.batch) ?? "auto"
    header.retries = headers.map(\.retries).max() ?? 0
    header.timeLimit =
      headers.contains { $0.timeLimit == nil } ? nil : headers.compactMap(\.timeLimit).max()
    header.leaksFail = headers.contains(where: \.leaksFail)
    header.hostName = Set(headers.map(\.hostName)).sorted().joined(separator: ", ")
    header.passedVariables = Set(headers.flatMap(\.passedVariables)).sorted()
    header.configuration = headers.common(\.configuration) ?? nil
    header.limits = headers.common(\.limits) ?? nil
    Self.setIsolation(of: headers, in: &header)
    header.sources = sources
    header.continues = nil
    header.folder = nil
    header.products = nil
    header.processors = headers.common(\.processors) ?? nil
    return header
  }

  /// Says what all runs had of isolation, and how their containers came to be.
  private static func setIsolation(of headers: [RunHeader], in header: inout RunHeader) {
    // Data is cloned at any level.
    header.clone = headers.common(\.clone) ?? nil
    header.cloneReason = header.clone == nil ? nil : headers.common(\.cloneReason) ?? nil
    guard headers.common(\.isolation) != nil else {
      let levels = ["directories", "processes", "sandbox"]
      let weakest = headers.map { levels.firstIndex(of: $0.isolation) ?? 0 }.min() ?? 0
      header.isolation = levels[weakest]
      header.isolationReason = "the weakest of the merged runs"
      // The rest is about sandboxes, which not all of them had.
      header.network = nil
      header.writable = nil
      header.scratch = nil
      header.home = nil
      return
    }
    header.isolationReason = headers.common(\.isolationReason) ?? nil
    header.network = headers.common(\.network) ?? nil
    header.writable = union(headers.map(\.writable))
    header.scratch = union(headers.map(\.scratch))
    header.home = union(headers.map(\.home))
  }

  /// All paths, sorted; `nil` for none.
  private static func union(_ paths: [[String]?]) -> [String]? {
    let all = Set(paths.flatMap { $0 ?? [] }).sorted()
    return all.isEmpty ? nil : all
  }
}

extension [RunHeader] {
  /// What all headers have as one value; `nil` when they differ.
  func common<T: Equatable>(_ value: (RunHeader) -> T) -> T? {
    guard let first = first.map(value) else { return nil }
    return allSatisfy { value($0) == first } ? first : nil
  }
}
