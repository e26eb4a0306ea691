package import Evidence
import Glibc
import Orchestration
import RunModel
import SystemFiles
package import Workers

/// Packs the failed attempts of one batch; runs on a thread of its own.
///
/// What belongs to one attempt is made when it is packed: a batch can have thousands that failed.
struct BundleTask: Sendable {
  struct Failure: Error {
    var message: String
  }

  /// Tests of the batch in the order they started.
  var startOrder: [TestID]
  var start: BatchStart
  var request: ProcessRequest?
  /// Where the container was while the test ran.
  var original: Container
  /// Where it is now.
  var container: Container
  /// What it consists of when that is more than its folders.
  var layers: ContainerLayers?
  var header: RunHeader
  var record: RunRecord
  var compression: BundleCompression
  var selection: [UInt8]?
  /// What the attempt's calls of apps left; `nil` for a plain test.
  var calls: CallEvidence?
  /// What the processes did when the test that hung was ended.
  var hang: [UInt8]?
  /// What is taken out of the bundle.
  var redaction: BundleRedactionChoice?
  /// Ends the packing early.
  var stop: StopFlag
  /// Absolute paths of the executables whose digests the manifest has, by the name of the fact.
  var executables: [String: String] = [:]
  /// What the apps of the run have registered and declare, by bundle identifier and the name of the
  /// file's form; only those that an attempt called get into its bundle.
  var metadata: [(bundleIdentifier: String, form: BundlePaths.MetadataForm, bytes: [UInt8])] = []
  /// The user's cache folder.
  var cache: String?

  /// Puts the layers of the container together, before anything is packed.
  ///
  /// - Returns: Why that failed; what there is can be packed all the same.
  func assemble() -> Failure? {
    do {
      try layers?.flatten(container)
      return nil
    } catch {
      return Failure(message: "bundles lack files of the container: \(error)")
    }
  }

  func perform(_ attempt: AttemptResult) -> Result<BundleReference, Failure> {
    let path = record.bundlePath(attempt.test, attempt: attempt.attempt, compression: compression)
    do {
      let attempt = try attempt.shortened(toBytes: BundleLimits().manifestBytes / 2)
      var contents = BundleContents(
        manifest: manifest(attempt), entries: try entries(attempt), excluded: [record.path],
        redaction: redaction)
      contents.removedVariables = secretVariables
      let bytes = try FailureBundle.write(
        contents, to: "\(record.path)/\(path)", compression: compression,
        isStopped: { stop.isSet })
      let reference = BundleReference(
        test: attempt.test, attempt: attempt.attempt, path: path, bytes: bytes)
      try record.addToIndex(reference)
      return .success(reference)
    } catch {
      return .failure(Failure(message: "the bundle of \(attempt.test) is missing: \(error)"))
    }
  }

  private func manifest(_ attempt: AttemptResult) -> BundleManifest {
    let before = startOrder.prefix { $0 != attempt.test }
    var manifest = BundleManifest(
      carrel: header.carrel, runID: header.runID, attempt: attempt,
      predecessors: ResultLimits.standard.nearest(before),
      package: lastComponent(of: header.packagePath),
      toolchain: header.toolchain, runtime: Self.runtime, hostName: header.hostName,
      bundleIdentifier: calls?.bundleIdentifier, intentName: calls?.intentName,
      fixtureToken: calls?.fixtureToken, isolation: header.isolation, timeLimit: header.timeLimit)
    manifest.toolchainDetails = toolchainDetails
    return manifest
  }

  /// That of the run, with the digests of what ran here.
  private var toolchainDetails: ToolchainRecord? {
    guard var details = header.toolchainDetails else { return nil }
    var digests = DigestMemory(cache: cache)
    for (fact, path) in executables { details.facts.values[fact] = digests.digest(of: path) }
    digests.save()
    return details
  }

  /// The system's name, release and architecture.
  static let runtime: String = {
    var names = utsname()
    guard uname(&names) == 0 else { return "Linux" }
    func text<Field>(_ field: Field) -> String {
      withUnsafeBytes(of: field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
    return "\(text(names.sysname)) \(text(names.release)) \(text(names.machine))"
  }()

  private func entries(_ attempt: AttemptResult) throws -> [BundleContents.Entry] {
    var entries: [BundleContents.Entry] = []
    if let log = attempt.stdout {
      entries.append(.init(BundlePaths.standardOutput, .item(log.path, below: record.path)))
    }
    if let log = attempt.stderr {
      entries.append(.init(BundlePaths.standardError, .item(log.path, below: record.path)))
    }
    for app in attempt.apps {
      entries.append(
        .init(
          BundlePaths.appLog(app.bundleIdentifier), .item(app.log.path, below: record.path)))
    }
    if let journal = calls?.journal { entries.append(.init(BundlePaths.journal, .bytes(journal))) }
    for app in metadata where calls?.apps.contains(app.bundleIdentifier) == true {
      entries.append(
        .init(BundlePaths.metadata(app.bundleIdentifier, app.form), .bytes(app.bytes)))
    }
    entries.append(.init(BundlePaths.events, .bytes(try eventLines(attempt))))
    if let request {
      var command = RecordedCommand(request, container: original)
      let secret = secretVariables
      for name in secret { command.environment[name] = SecretSearch.removedValue }
      entries.append(
        .init(
          BundlePaths.command, .bytes(try encodedJSON(command, pretty: true) + [10]),
          removed: secret.isEmpty ? [:] : [SecretSearch.variableRule: secret.count]))
      entries.append(
        .init(BundlePaths.reproScript, .bytes(Array(command.script.utf8), mode: 0o755)))
    }
    if let selection { entries.append(.init(BundlePaths.selection, .bytes(selection))) }
    for report in CrashReportFile.all(in: container.evidence) {
      guard let (bytes, removed) = report.shareable() else { continue }
      entries.append(
        .init("\(BundlePaths.crash)/\(report.name)", .bytes(bytes), removed: removed))
    }
    if let hang, attempt.verdict == .timedOut || calls != nil {
      entries.append(.init(BundlePaths.hang, .bytes(hang)))
    }
    entries.append(.init(BundlePaths.attachments, item(container.attachments)))
    entries.append(indexEntry())
    entries.append(.init("\(BundlePaths.container)/home", item(container.home)))
    entries.append(.init("\(BundlePaths.container)/tmp", item(container.temporary)))
    return entries
  }

  /// The slice of the event log that is about one attempt.
  private func events(of attempt: AttemptResult) -> [RunEvent] {
    let began = AttemptStart(
      test: attempt.test, attempt: attempt.attempt, batch: attempt.batch, worker: attempt.worker)
    return [
      RunEvent(time: attempt.startedAt, .runStarted(header)),
      RunEvent(time: attempt.startedAt, .batchStarted(start)),
      RunEvent(time: attempt.startedAt, .attemptStarted(began)),
      RunEvent(time: attempt.startedAt + attempt.duration, .attemptFinished(attempt)),
    ]
  }
}

extension BundleTask {
  private func indexEntry() -> BundleContents.Entry {
    let path = BundlePaths.index
    return switch PackedIndex(of: container, redaction: redaction) {
    case .asItIs: .init(path, item(container.index))
    case .replaced(let copy, let removed): .init(path, item(copy), removed: removed)
    case .omitted(let reason): .init(path, .omitted(reason: reason))
    }
  }

  /// What lies at a path in the container, on the way to which the test may have put links.
  private func item(_ path: String) -> BundleContents.Source {
    .item(String(path.dropFirst(container.root.count + 1)), below: container.root)
  }

  /// The slice of the event log, no larger than a reader takes: with the attempt as it is in the
  /// manifest, and without the names of the batch's other tests when they are too many.
  private func eventLines(_ attempt: AttemptResult) throws -> [UInt8] {
    func lines(allTests: Bool) throws -> [UInt8] {
      var lines: [UInt8] = []
      for var event in events(of: attempt) {
        switch event.kind {
        case .batchStarted(var start) where !allTests:
          start.tests = [attempt.test]
          event.kind = .batchStarted(start)
        default: break
        }
        lines += try encodedJSON(event) + [10]
      }
      return lines
    }
    let all = try lines(allTests: true)
    return all.count <= BundleLimits.readBytes ? all : try lines(allTests: false)
  }
}

extension RecordedCommand {
  /// The command of a process in a container.
  package init(_ request: ProcessRequest, container: Container) {
    var environment = request.environment
    environment[SupervisedProcess.scopeVariable] = request.scope
    self.init(
      executable: request.executable, arguments: request.arguments, environment: environment,
      directory: request.directory, container: container.view,
      fileMask: request.limits?.fileMask ?? ownFileMask())
  }
}
