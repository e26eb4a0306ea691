import Evidence
import Glibc
package import IntentMetadata
import IntentSystem
import IntentWire
import RunModel
import SwiftTests
import SystemFiles
import Workers

/// Makes the App Intents metadata of a package from its sources.
///
/// The package is built once more, in a scratch folder of its own, and the compiler writes down
/// what it knows of the types. Apps that are built for Carrel are asked what they have registered.
package struct MetadataExtraction {
  /// The metadata of one app of the package, or of all its libraries when it has no app.
  package struct App: Sendable {
    /// The product's name, or the package's.
    package var name: String
    /// What the running app says; `nil` for what is no app for Carrel.
    package var bundleIdentifier: String?
    package var declared: DeclaredMetadata
  }

  package struct Outcome: Sendable {
    /// In the order of their names; only those that declare something.
    package var apps: [App] = []
    /// The compiler, for people.
    package var compiler = ""
    /// Name of the signal that asked for the end.
    package var interruption: String?
  }

  /// Bytes of the end of a build's output that an error holds.
  private static let keptOutput = 1 << 16
  /// Seconds that an app may take to describe itself.
  private static let describeLimit = 30.0

  private let package: PackageConfiguration
  private let version: String
  private let listener: (any RunListener)?

  /// - Parameter version: Of this program, for the metadata's generator.
  package init(
    _ package: PackageConfiguration, version: String, listener: (any RunListener)?
  ) {
    self.package = package
    self.version = version
    self.listener = listener
  }

  /// - Throws: ``SwiftTestsError`` when there is no package, no toolchain, or it does not build;
  ///   ``MetadataError`` when the compiler wrote something unknown.
  package func perform() throws -> Outcome {
    try package.location.checkPackage()
    let supervisor = try Supervisor()
    defer { supervisor.watchdog?.end() }
    let cache = try? PrivateFolder.cache(environment: package.environment)
    let choice = try ToolchainChoice.choose(
      package.toolchain, package: package.location.package, environment: package.environment,
      probe: ToolchainProbe(
        supervisor: supervisor, cache: cache, environment: package.environment))
    return try perform(choice, supervisor, asksApps: true)
  }

  /// - Parameter asksApps: Whether apps are asked what they have registered.
  /// - Throws: As ``perform()``.
  func perform(
    _ choice: ToolchainChoice, _ supervisor: Supervisor, asksApps: Bool
  ) throws -> Outcome {
    let environment = choice.toolchain.environment(package.environment)
    let build = MetadataBuild(
      toolchain: choice.toolchain, location: package.location, extraFlags: package.buildFlags)
    var outcome = Outcome(compiler: choice.shown)
    try prepare(build)
    if !package.skipsBuild {
      try run(build.request(environment: environment), supervisor) { listener?.buildDidPrint($0) }
    }
    let description = try describe(build, environment, supervisor)
    outcome.interruption = supervisor.interruption
    guard let description else { return outcome }
    outcome.apps = try apps(description, build.location)
    if asksApps { ask(&outcome.apps, build.location, environment, supervisor) }
    outcome.interruption = supervisor.interruption
    return outcome
  }

  // MARK: Build

  private func prepare(_ build: MetadataBuild) throws(FileError) {
    try makeFolders(build.location.scratch)
    let text = MetadataBuild.protocolsText
    // Its time of change decides whether everything is compiled anew.
    guard readSmallFile(build.protocolsFile) != text else { return }
    try writeFileAtomically(text, to: build.protocolsFile)
  }

  private func run(
    _ request: ProcessRequest, _ supervisor: Supervisor,
    onOutput: @escaping (UnsafeRawBufferPointer) -> Void
  ) throws {
    guard supervisor.interruption == nil else { return }
    var output = TailBuffer(capacity: Self.keptOutput)
    let ends = supervisor.run([request]) { _, _, bytes in
      output.append(bytes)
      onOutput(bytes)
    }
    guard supervisor.interruption == nil else { return }
    switch ends[0] {
    case .failure(let error): throw error
    case .success(.exited(0)): return
    case .success(let end):
      throw SwiftTestsError(
        .buildFailed,
        "the package does not build ('swift \(request.arguments[0])' ended with \(end)); the "
          + "compiler's errors are above",
        output: String(decoding: output.last(Self.keptOutput), as: UTF8.self))
    }
  }

  private func describe(
    _ build: MetadataBuild, _ environment: [String: String], _ supervisor: Supervisor
  ) throws -> PackageDescription? {
    var output: [UInt8] = []
    var errors = TailBuffer(capacity: Self.keptOutput)
    guard supervisor.interruption == nil else { return nil }
    let ends = supervisor.run([build.description(environment: environment)]) { _, stream, bytes in
      if stream == .stdout { output += bytes } else { errors.append(bytes) }
    }
    guard supervisor.interruption == nil else { return nil }
    guard case .success(.exited(0)) = ends[0], let description = PackageDescription(reading: output)
    else {
      throw SwiftTestsError(
        .buildFailed, "'swift package describe' does not say what is in the package",
        output: String(decoding: errors.last(Self.keptOutput), as: UTF8.self))
    }
    return description
  }

  // MARK: What is declared

  private func apps(
    _ description: PackageDescription, _ location: BuildLocation
  ) throws -> [App] {
    var apps: [App] = []
    let objects = LinkedObjects.read(in: location.products)
    for (name, main) in description.executables.sorted(by: { $0.key < $1.key }) {
      var modules: [MetadataMaker.Module] = []
      for (module, files) in Self.modules(objects[name] ?? []) {
        let types = try types(of: module, files)
        guard !types.isEmpty else { continue }
        modules.append(
          MetadataMaker.Module(name: module, isApp: module == main, types: types))
      }
      // Libraries first: of two things with one name the app's counts.
      modules.sort { ($0.isApp ? 1 : 0, $0.name) < ($1.isApp ? 1 : 0, $1.name) }
      if let app = app(name, modules) { apps.append(app) }
    }
    guard apps.isEmpty else { return apps }
    // A package of libraries is for an app that is somewhere else.
    var modules: [MetadataMaker.Module] = []
    for target in description.targets where target.type == "library" {
      let folder = "\(location.products)/\(target.module).build"
      let types = try types(of: target.module, target.sources.map { "\(folder)/\($0).o" })
      if !types.isEmpty {
        modules.append(MetadataMaker.Module(name: target.module, isApp: false, types: types))
      }
    }
    return app(description.name, modules).map { [$0] } ?? []
  }

  private func app(_ name: String, _ modules: [MetadataMaker.Module]) -> App? {
    guard !modules.isEmpty else { return nil }
    var declared = MetadataMaker.declared(
      by: modules, version: version, folder: package.location.package)
    declared.readSources { file in
      readSmallFile(
        file.hasPrefix("/") ? file : "\(package.location.package)/\(file)", .regularFileOnly)
    }
    return App(name: name, declared: declared)
  }

  /// Object files by module, without the modules of Carrel that apps are linked with.
  private static func modules(_ objects: [String]) -> [(name: String, objects: [String])] {
    var modules: [String: [String]] = [:]
    for object in objects {
      let folders = object.split(separator: "/")
      guard let folder = folders.last(where: { $0.hasSuffix(".build") }) else { continue }
      modules[String(folder.dropLast(".build".count)), default: []].append(object)
    }
    return modules.filter { !carrelModules.contains($0.key) }.sorted { $0.key < $1.key }
      .map { ($0.key, $0.value) }
  }

  private static let carrelModules: Set<String> = [
    "AppIntents", "AppIntentsTypeSupport", "CoreSpotlight", "IntentHost", "IntentWire",
  ]

  /// What the compiler wrote down of a module: beside each object file or, when it has compiled the
  /// module as a whole, in one file.
  private func types(of module: String, _ objects: [String]) throws -> [ConstType] {
    var files = objects.filter { $0.hasSuffix(".o") }
      .map { String($0.dropLast(".o".count)) + Self.valuesSuffix }
    if let first = objects.first(where: { $0.contains("/\(module).build/") }),
      let end = first.firstRange(of: "/\(module).build/")?.upperBound
    {
      let whole = String(first[..<end]) + module + Self.valuesSuffix
      if let time = Self.time(whole), files.allSatisfy({ Self.time($0) ?? (0, 0) < time }) {
        files = [whole]
      }
    }
    var types: [ConstType] = []
    for file in files {
      guard let bytes = readSmallFile(file) else { continue }
      types += try ConstType.list(reading: bytes)
    }
    return types
  }

  private static let valuesSuffix = ".swiftconstvalues"

  /// When a file was written; `nil` when it is not there.
  private static func time(_ path: String) -> (Int, Int)? {
    FileStamp(path: path).map { ($0.modified.seconds, $0.modified.nanoseconds) }
  }

  // MARK: What is registered

  private func ask(
    _ apps: inout [App], _ location: BuildLocation, _ environment: [String: String],
    _ supervisor: Supervisor
  ) {
    let hosts = Dictionary(
      AppFinder.appExecutables(in: location.products).map { (lastComponent(of: $0), $0) },
      uniquingKeysWith: { first, _ in first })
    let asked = apps.indices.filter { hosts[apps[$0].name] != nil }
    guard !asked.isEmpty, supervisor.interruption == nil else { return }
    var answers = [[UInt8]](repeating: [], count: asked.count)
    let requests = asked.map { index in
      ProcessRequest(
        executable: hosts[apps[index].name] ?? "", arguments: ["--describe"],
        environment: environment, directory: location.package,
        scope: "\(Watchdog.programMark)-describe-app-\(index)")
    }
    let ends = supervisor.run(requests, limit: Self.describeLimit) { index, stream, bytes in
      if stream == .stdout { answers[index] += bytes }
    }
    for (position, index) in asked.enumerated() {
      guard case .success(.exited(0)) = ends[position],
        let json = try? WireJSON(reading: answers[position]),
        let description = try? AppDescription(json: json)
      else { continue }
      apps[index].bundleIdentifier = description.bundleIdentifier
      apps[index].declared.registration = RegistrationDifference.all(
        declared: apps[index].declared.metadata, registered: description)
    }
  }
}
