import Comparison
import Evidence
import IntentWire
import RunModel
import SearchIndex

/// Reads two bundles and compares them part by part.
///
/// Each bundle is gone through once for its list and its digests, and once more for the files
/// that differ and can be looked into; no more than these are ever in memory.
struct BundleComparer {
  /// What was asked for.
  struct Request {
    var parts = Set(BundlePart.allCases)
    /// Nothing is replaced, and what differs anyway counts.
    var isExact = false
  }

  /// Limits of what is compared line by line; see docs/limits.md.
  enum Limits {
    /// Bytes of a log.
    static let log = 8 << 20
    /// Bytes of another file.
    static let file = 1 << 20
    /// Bytes of all other files that are compared, of both bundles together.
    static let files = 64 << 20
  }

  /// One bundle, as far as it was read.
  private struct Side {
    let reader: BundleReader
    let inventory: BundleInventory
    let manifest: BundleManifest
    var files: [ByteName: [UInt8]] = [:]
    var names = SpecificNames()
    /// The run's header as its event tells it.
    var header: WireJSON?
    var command: RecordedCommand?

    func has(_ path: String) -> Bool { inventory.entries[ByteName(path)] != nil }
    func entry(_ path: String) -> ContentsEntry? { inventory.entries[ByteName(path)] }
    func bytes(_ path: String) -> [UInt8]? { files[ByteName(path)] }
  }

  private let request: Request
  private var a: Side
  private var b: Side
  /// Differences of the parts that are made of files.
  private var changed: [BundlePart: (differences: [BundleInventory.Difference], equal: Int)] = [:]

  /// Reads the bundles.
  ///
  /// - Parameter inventories: Of both, with manifests.
  /// - Throws: ``EvidenceError`` when a bundle cannot be read any more.
  init(
    _ readers: (BundleReader, BundleReader), _ inventories: (BundleInventory, BundleInventory),
    _ manifests: (BundleManifest, BundleManifest), _ request: Request
  ) throws {
    self.request = request
    a = Side(reader: readers.0, inventory: inventories.0, manifest: manifests.0)
    b = Side(reader: readers.1, inventory: inventories.1, manifest: manifests.1)
    var wanted: [ByteName: Int] = [:]
    for path in [BundlePaths.command, BundlePaths.events] {
      wanted[ByteName(path)] = BundleLimits.readBytes
    }
    for (part, path) in [(BundlePart.journal, BundlePaths.journal), (.index, BundlePaths.index)]
    where request.parts.contains(part) && a.entry(path)?.sha256 != b.entry(path)?.sha256 {
      wanted[ByteName(path)] = BundleLimits.readBytes
    }
    var room = Limits.files
    for part in [BundlePart.logs, .container, .other] where request.parts.contains(part) {
      let found = a.inventory.differences(from: b.inventory, countsTimes: request.isExact) {
        Self.part(of: $0) == part
      }
      changed[part] = found
      for difference in found.differences {
        let entries = [difference.a, difference.b].compactMap { $0 }
        guard entries.allSatisfy({ $0.kind == .file }) else { continue }
        let bytes = entries.reduce(0) { $0 + $1.size }
        if part == .logs {
          wanted[difference.path] = Limits.log
        } else if entries.count == 2, entries[0].sha256 != entries[1].sha256,
          entries.allSatisfy({ $0.size <= Limits.file }), bytes <= room
        {
          room -= bytes
          wanted[difference.path] = Limits.file
        }
      }
    }
    a.files = try a.reader.files(wanted)
    b.files = try b.reader.files(wanted)
    for side in [\BundleComparer.a, \.b] { try readFacts(side) }
  }

  /// The part that an entry belongs to; `nil` for those whose content is compared as facts.
  private static func part(of path: ByteName) -> BundlePart? {
    let top = String(decoding: path.components[0], as: UTF8.self)
    switch top {
    case BundlePaths.manifest, BundlePaths.contents, BundlePaths.events, BundlePaths.command,
      BundlePaths.journal, BundlePaths.index:
      return path.components.count == 1 ? nil : .other
    case "logs": return .logs
    case BundlePaths.container: return .container
    default: return .other
    }
  }

  private mutating func readFacts(_ side: WritableKeyPath<BundleComparer, Side>) throws {
    self[keyPath: side].command = self[keyPath: side].bytes(BundlePaths.command).flatMap {
      try? RecordedCommand(reading: $0)
    }
    for line in self[keyPath: side].bytes(BundlePaths.events)?.split(separator: 10) ?? [] {
      guard let event = try? WireJSON(reading: Array(line)) else { break }
      if event["kind"]?.string == "runStarted", let header = event["payload"] {
        self[keyPath: side].header = header
        break
      }
    }
    guard !request.isExact else { return }
    var names: [SpecificNames.Kind: String] = [:]
    names[.container] = self[keyPath: side].command?.container
    names[.package] = self[keyPath: side].header?["packagePath"]?.string
    names[.run] = self[keyPath: side].manifest.runID
    names[.fixture] = self[keyPath: side].manifest.fixtureToken
    self[keyPath: side].names = SpecificNames(names)
  }

  func compare() -> BundleDiff {
    let parts = BundlePart.allCases.filter { request.parts.contains($0) }.map { part in
      switch part {
      case .manifest: manifest()
      case .journal: journal()
      case .index: index()
      case .command: command()
      case .logs, .container, .other: files(part)
      }
    }
    return BundleDiff(
      a: Self.summary(a), b: Self.summary(b), isExact: request.isExact, replaced: replaced,
      sameMessage: hasSameMessage, parts: parts)
  }
}

// MARK: What the bundles are about

extension BundleComparer {
  private static func summary(_ side: Side) -> BundleSide {
    let manifest = side.manifest
    return BundleSide(
      path: side.reader.path, test: manifest.test, run: manifest.runID, attempt: manifest.attempt,
      purpose: manifest.purpose, verdict: manifest.verdict,
      message: manifest.attemptResult.headline, startedAt: manifest.startedAt,
      duration: manifest.duration, worker: manifest.worker, batch: manifest.batch,
      hostName: manifest.hostName, runtime: manifest.runtime, toolchain: manifest.toolchain,
      isolation: manifest.isolation, fixtureToken: manifest.fixtureToken,
      carrel: manifest.carrel, format: manifest.format,
      problems: side.inventory.check.problems.map(\.description))
  }

  private var replaced: [ReplacedName] {
    SpecificNames.Kind.allCases.filter { a.names[$0] != nil || b.names[$0] != nil }.map { kind in
      ReplacedName(placeholder: kind.placeholder, a: a.names[kind], b: b.names[kind])
    }
  }

  private var hasSameMessage: Bool {
    let sides = [a, b]
    guard !request.isExact else {
      return a.manifest.attemptResult.headline == b.manifest.attemptResult.headline
    }
    let signatures = sides.map { side in
      side.names.replaced(
        in: FailureSignature(
          side.manifest.attemptResult, container: side.command?.container,
          package: side.header?["packagePath"]?.string
        ).message)
    }
    return signatures[0] == signatures[1]
  }
}

// MARK: Facts

extension BundleComparer {
  private func manifest() -> PartDiff {
    guard let left = try? WireJSON(reading: a.inventory.manifest),
      let right = try? WireJSON(reading: b.inventory.manifest)
    else { return unreadable(.manifest, ["a manifest is nested too deeply"]) }
    var fields = FieldDifference.between(left.replacing(a.names), right.replacing(b.names))
    let facts = "toolchainDetails.facts."
    if left["toolchainDetails"]?["facts"] != nil, right["toolchainDetails"]?["facts"] != nil {
      fields.removeAll { $0.name.hasPrefix(facts) }
      fields += ToolchainFields.between(
        a.manifest.toolchainDetails?.facts, b.manifest.toolchainDetails?.facts, prefix: facts)
    }
    if let header = a.header, let other = b.header {
      fields += FieldDifference.between(
        header.replacing(a.names), other.replacing(b.names), name: "run"
      ).filter { !ExpectedFields.isInManifest($0.name) }
    }
    fields = ExpectedFields.marked(fields, of: .manifest, isExact: request.isExact)
    if let index = fields.firstIndex(where: { $0.name == "duration" }),
      CallComparison.isFarApart(a.manifest.duration, b.manifest.duration)
    {
      fields[index].isExpected = false
    }
    return factsPart(.manifest, fields)
  }

  private func command() -> PartDiff {
    if let part = presence(.command, BundlePaths.command) { return part }
    guard let left = a.bytes(BundlePaths.command).flatMap({ try? WireJSON(reading: $0) }),
      let right = b.bytes(BundlePaths.command).flatMap({ try? WireJSON(reading: $0) })
    else { return unreadable(.command, ["a \(BundlePaths.command) cannot be read"]) }
    let fields = FieldDifference.between(left.replacing(a.names), right.replacing(b.names))
    return factsPart(
      .command, ExpectedFields.marked(fields, of: .command, isExact: request.isExact))
  }

  private func factsPart(_ part: BundlePart, _ fields: [FieldDifference]) -> PartDiff {
    var result = PartDiff(part, fields.contains { !$0.isExpected } ? .different : .same)
    result.fields = fields
    return result
  }

  /// What is to be said of a part that is one file, when only one bundle has it, none has it, or
  /// both have the same.
  private func presence(_ part: BundlePart, _ path: String) -> PartDiff? {
    switch (a.entry(path), b.entry(path)) {
    case (nil, nil): PartDiff(part, .absent)
    case (_?, nil): PartDiff(part, .onlyA)
    case (nil, _?): PartDiff(part, .onlyB)
    case (let left?, let right?):
      left.sha256 != nil && left.sha256 == right.sha256 ? PartDiff(part, .same) : nil
    }
  }

  private func unreadable(_ part: BundlePart, _ notes: [String]) -> PartDiff {
    var result = PartDiff(part, .unreadable)
    result.notes = notes
    return result
  }
}

// MARK: Journal and index

extension BundleComparer {
  private func journal() -> PartDiff {
    let presence = presence(.journal, BundlePaths.journal)
    if let presence, presence.state == .same || presence.state == .absent { return presence }
    var notes: [String] = []
    let calls = [(a, "A"), (b, "B")].map { side, name -> [JournalCall]? in
      guard side.has(BundlePaths.journal) else { return [] }
      guard let bytes = side.bytes(BundlePaths.journal) else {
        notes.append("the journal of \(name) cannot be read")
        return nil
      }
      var calls: [JournalCall] = []
      for (number, line) in bytes.split(separator: 10).enumerated() {
        let json = try? WireJSON(reading: Array(line))
        if let call = json.flatMap({ JournalCall($0, replacing: side.names) }) {
          calls.append(call)
        } else if let omitted = json?["omitted"]?.int {
          notes.append("the journal of \(name) leaves out \(omitted) more calls")
        } else {
          notes.append("line \(number + 1) of the journal of \(name) is no call")
          return nil
        }
      }
      return calls
    }
    guard let left = calls[0], let right = calls[1] else { return unreadable(.journal, notes) }
    let comparison = CallComparison(left, right)
    var result = PartDiff(
      .journal, presence?.state ?? (comparison.rows.isEmpty ? .same : .different))
    result.notes = notes
    result.equal = comparison.equal
    result.calls = comparison
    return result
  }

  private func index() -> PartDiff {
    let presence = presence(.index, BundlePaths.index)
    if let presence, presence.state == .same || presence.state == .absent { return presence }
    var notes: [String] = []
    let entries = [(a, "A"), (b, "B")].map { side, name -> [IndexUpdate.Entry]? in
      guard side.has(BundlePaths.index) else { return [] }
      guard let bytes = side.bytes(BundlePaths.index) else {
        notes.append(
          "the index of \(name) is no file, or larger than \(BundleLimits.readBytes) bytes")
        return nil
      }
      do {
        return try IndexSnapshot.entries(of: bytes, name: "\(BundlePaths.index) of \(name)")
      } catch {
        notes.append("\(error)")
        return nil
      }
    }
    guard let left = entries[0], let right = entries[1] else { return unreadable(.index, notes) }
    let comparison = EntryComparison(left, right, replacing: (a.names, b.names))
    let isDifferent = !comparison.rows.isEmpty || request.isExact
    if presence == nil, comparison.rows.isEmpty, request.isExact {
      notes.append("the entries are equal, the bytes of \(BundlePaths.index) are not")
    }
    var result = PartDiff(.index, presence?.state ?? (isDifferent ? .different : .same))
    result.notes = notes
    result.equal = comparison.equal
    result.entries = comparison
    return result
  }
}

// MARK: Files

extension BundleComparer {
  private func files(_ part: BundlePart) -> PartDiff {
    let found = changed[part] ?? ([], 0)
    var files: [FileDifference] = []
    var equalButNames = 0
    for difference in found.differences {
      var file = FileDifference(
        name: FileName(difference.path), a: difference.a.map(FileFacts.init),
        b: difference.b.map(FileFacts.init), countsTimes: request.isExact)
      if part == .logs || file.changes.contains(.content) { look(into: &file, difference, part) }
      if file.isDifferent { files.append(file) } else { equalButNames += 1 }
    }
    let isEmpty = files.isEmpty && found.equal == 0 && equalButNames == 0
    var result = PartDiff(part, isEmpty ? .absent : files.isEmpty ? .same : .different)
    result.equal = found.equal + equalButNames
    result.equalButNames = equalButNames
    result.files = files
    return result
  }

  /// Compares the contents of two files; takes the change back when they differ only in names that
  /// are specific to a run.
  private func look(
    into file: inout FileDifference, _ difference: BundleInventory.Difference, _ part: BundlePart
  ) {
    let entries = [difference.a, difference.b].compactMap { $0 }
    guard entries.allSatisfy({ $0.kind == .file }) else { return }
    let limit = part == .logs ? Limits.log : Limits.file
    guard entries.allSatisfy({ $0.size <= limit }) else {
      file.noText = .large
      return
    }
    let left = difference.a == nil ? [] : a.files[difference.path]
    let right = difference.b == nil ? [] : b.files[difference.path]
    guard let left, let right else {
      file.noText = .budget
      return
    }
    guard part == .logs || [left, right].allSatisfy(Self.isText) else {
      file.noText = .binary
      return
    }
    file.text = TextDifference(a.names.replaced(in: left), b.names.replaced(in: right))
    if file.text == nil { file.changes.removeAll { $0 == .content } }
  }

  private static func isText(_ bytes: [UInt8]) -> Bool {
    !bytes.contains(0) && String(validating: bytes, as: UTF8.self) != nil
  }
}

extension FileName {
  fileprivate init(_ name: ByteName) {
    let text = name.text
    self.init(
      path: text, pathBytes: text == nil ? name.percentEncoded : nil, shown: name.displayName)
  }
}

extension FileFacts {
  fileprivate init(_ entry: ContentsEntry) {
    let nanoseconds = entry.modified.map { String($0.nanoseconds) } ?? ""
    self.init(
      type: entry.kind.rawValue, mode: String(entry.mode, radix: 8),
      size: entry.kind == .file ? entry.size : nil, target: entry.linkTarget?.displayName,
      sha256: entry.sha256,
      modified: entry.modified.map {
        "\($0.seconds).\(String(repeating: "0", count: 9 - nanoseconds.utf8.count))\(nanoseconds)"
      })
  }
}
