package import RunModel

/// The version of the JSON that `carrel bundle diff` prints; see docs/bundle-diff.md.
package let bundleDiffFormat = FormatVersion(major: 1, minor: 0)

/// One of the two bundles.
package struct BundleSide: Hashable, Sendable, Encodable {
  /// As it was given.
  package var path: String
  package var test: TestID
  package var run: String
  package var attempt: Int
  package var purpose: AttemptPurpose
  package var verdict: Verdict
  /// What a person reads first about the failure; `nil` when there is nothing.
  package var message: String?
  /// Seconds since 1970.
  package var startedAt: Double
  /// In seconds.
  package var duration: Double
  package var worker: Int
  package var batch: Int
  package var hostName: String
  package var runtime: String
  package var toolchain: String
  package var isolation: String
  package var fixtureToken: String?
  /// Version of the program that wrote the bundle, and of its format.
  package var carrel: String
  package var format: FormatVersion
  /// What is wrong with a bundle that is not whole.
  package var problems: [String]

  package init(
    path: String, test: TestID, run: String, attempt: Int, purpose: AttemptPurpose,
    verdict: Verdict, message: String?, startedAt: Double, duration: Double, worker: Int,
    batch: Int, hostName: String, runtime: String, toolchain: String, isolation: String,
    fixtureToken: String?, carrel: String, format: FormatVersion, problems: [String] = []
  ) {
    self.path = path
    self.test = test
    self.run = run
    self.attempt = attempt
    self.purpose = purpose
    self.verdict = verdict
    self.message = message
    self.startedAt = startedAt
    self.duration = duration
    self.worker = worker
    self.batch = batch
    self.hostName = hostName
    self.runtime = runtime
    self.toolchain = toolchain
    self.isolation = isolation
    self.fixtureToken = fixtureToken
    self.carrel = carrel
    self.format = format
    self.problems = problems
  }
}

/// A part of bundles that is compared by itself. The order of the cases is that of the reports:
/// what explains most comes first.
package enum BundlePart: String, CaseIterable, Hashable, Sendable, Encodable {
  case manifest, journal, index, logs, command, container
  /// Crash reports, attachments and whatever else there is.
  case other
}

/// What the comparison of one part has found.
package struct PartDiff: Hashable, Sendable, Encodable {
  package enum State: String, Hashable, Sendable, Encodable {
    case same, different
    /// Neither bundle has it.
    case absent
    /// It is in one bundle only.
    case onlyA = "only-a"
    case onlyB = "only-b"
    /// What is in one of the bundles cannot be read, and is not equal to the other's.
    case unreadable
  }

  package var part: BundlePart
  package var state: State
  /// Why it is ``State/unreadable``, or what else is to be known.
  package var notes: [String] = []
  /// Things that are the same: fields, calls, entries or files.
  package var equal = 0
  /// Of those, files that differ only in names that are specific to a run.
  package var equalButNames: Int?
  package var fields: [FieldDifference]?
  package var calls: CallComparison?
  package var entries: EntryComparison?
  package var files: [FileDifference]?

  package init(_ part: BundlePart, _ state: State) {
    self.part = part
    self.state = state
  }

  /// Whether the two bundles differ in it.
  package var isDifferent: Bool { state != .same && state != .absent }
}

/// Names of runs that were replaced before the comparison.
package struct ReplacedName: Hashable, Sendable, Encodable {
  package var placeholder: String
  package var a: String?
  package var b: String?

  package init(placeholder: String, a: String?, b: String?) {
    self.placeholder = placeholder
    self.a = a
    self.b = b
  }
}

/// What two bundles have in common and what they have not.
package struct BundleDiff: Hashable, Sendable, Encodable {
  package var format = bundleDiffFormat
  package var a: BundleSide
  package var b: BundleSide
  /// Whether everything was compared as it is.
  package var isExact: Bool
  package var replaced: [ReplacedName]
  package var sameTest: Bool
  package var sameVerdict: Bool
  /// Whether they failed with the same message, compared as `carrel repro` does.
  package var sameMessage: Bool
  /// In the order of ``BundlePart``; only those that were asked for.
  package var parts: [PartDiff]
  /// Whether any part is different.
  package var isDifferent: Bool

  package init(
    a: BundleSide, b: BundleSide, isExact: Bool, replaced: [ReplacedName], sameMessage: Bool,
    parts: [PartDiff]
  ) {
    self.a = a
    self.b = b
    self.isExact = isExact
    self.replaced = replaced
    self.sameMessage = sameMessage
    self.parts = parts
    sameTest = a.test == b.test
    sameVerdict = a.verdict == b.verdict
    isDifferent = parts.contains(where: \.isDifferent)
  }
}
