import Glibc
import IntentWire
import RunModel
import SystemFiles
package import Workers

/// Finds the apps among a package's products: executables with an intent host in them, which are
/// asked what they offer.
///
/// `--describe` is answered before the app's `init()` runs.
package struct AppFinder {
  /// The section that the library of hosts brings along.
  private static let mark = "carrel_intent_host"
  /// Seconds that an app gets to describe itself.
  package static let limit = 20.0

  private let executables: [String]
  /// Indices of the executables whose answers are not known.
  private let asked: [Int]
  /// What is wrong with files that should be executables.
  private let damages: [String]
  private var outputs: [[UInt8]]
  private var errors: [[UInt8]]

  /// - Parameters:
  ///   - folder: The folder with what the build made.
  ///   - known: What an executable has answered before; `nil` when it has to be asked.
  package init(folder: String, known: (String) -> [UInt8]? = { _ in nil }) {
    let current = Self.currentProducts(in: folder)
    let files = Self.executableFiles(in: folder)
    executables = Self.apps(among: files, current)
    damages = files.filter {
      current?.contains(lastComponent(of: $0)) ?? false && !isWholeProgram($0)
    }.map { "\($0) is not a whole program, so it may be an app; build it anew" }
    let answers = executables.map(known)
    asked = answers.indices.filter { answers[$0] == nil }
    outputs = answers.map { $0 ?? [] }
    errors = executables.map { _ in [] }
  }

  /// The absolute paths of the apps' executables in a folder with what the build made, by name.
  package static func appExecutables(in folder: String) -> [String] {
    apps(among: executableFiles(in: folder), currentProducts(in: folder))
  }

  /// The file names of the programs of the last build, apps or not, that are whole.
  package static func programs(in folder: String) -> [String] {
    let current = currentProducts(in: folder)
    return executableFiles(in: folder).filter { path in
      current?.contains(lastComponent(of: path)) ?? true && isWholeProgram(path)
    }.map { lastComponent(of: $0) }
  }

  private static func apps(among files: [String], _ current: Set<String>?) -> [String] {
    files.filter { path in
      current?.contains(lastComponent(of: path)) ?? true
        && hasSection(mark, inExecutable: path)
    }
  }

  /// Whether there are apps that have to be asked.
  package var asksApps: Bool { !asked.isEmpty }

  /// The processes that describe the apps; they can run side by side.
  ///
  /// - Parameter environment: The environment of a container.
  package func requests(environment: [String: String], scope: String) -> [ProcessRequest] {
    asked.map { index in
      ProcessRequest(
        executable: executables[index], arguments: ["--describe"], environment: environment,
        scope: "\(scope)-describe-\(index)")
    }
  }

  /// Files that are neither tests nor libraries and may be executed, by name.
  private static func executableFiles(in folder: String) -> [String] {
    (folderEntries(folder) ?? []).sorted().map { "\(folder)/\($0)" }.filter { path in
      var info = stat()
      return lstat(path, &info) == 0 && info.isRegular && info.st_mode & 0o100 != 0
        && !path.hasSuffix(".xctest") && !path.hasSuffix(".so")
    }
  }

  /// The products of the last build. Executables of targets that are gone stay in the folder.
  ///
  /// - Returns: `nil` when SwiftPM's own build system has written nothing about them.
  private static func currentProducts(in folder: String) -> Set<String>? {
    readSmallFile("\(folder)/description.json").flatMap { BuildDescription($0)?.linkedProducts }
  }

  /// Takes what the process of a request wrote.
  package mutating func take(
    _ request: Int, _ stream: ProcessStream, _ bytes: UnsafeRawBufferPointer
  ) {
    let index = asked[request]
    switch stream {
    case .stdout where outputs[index].count < WireMessage.maximumLength: outputs[index] += bytes
    case .stderr where errors[index].count < 16 << 10: errors[index] += bytes
    default: break
    }
  }

  /// What the apps said.
  package struct Found {
    package var apps: [InstalledApp] = []
    /// What is wrong with the others.
    package var problems: [AppProblem] = []
    /// What each app answered, by its executable.
    package var answers: [String: [UInt8]] = [:]
  }

  /// What the processes said, once all of them have ended.
  ///
  /// - Parameter ends: How each ended, for people.
  package func result(ends: [String]) -> Found {
    var found = Found(problems: damages.map { AppProblem(message: $0) })
    var ends = ends.makeIterator()
    for index in executables.indices {
      let end = asked.contains(index) ? ends.next() : nil
      do throws(WireError) {
        found.apps.append(try app(index, end: end ?? "nothing"))
        found.answers[executables[index]] = outputs[index]
      } catch {
        found.problems.append(AppProblem(message: error.message))
      }
    }
    let (unambiguous, conflicts) = Self.separate(found.apps)
    found.apps = unambiguous
    found.problems += conflicts
    return found
  }

  private func app(_ index: Int, end: String) throws(WireError) -> InstalledApp {
    let output = outputs[index]
    let line = output.last == 0x0A ? Array(output.dropLast()) : output
    do {
      return InstalledApp(
        description: try AppDescription(json: WireJSON(reading: line)),
        executable: executables[index])
    } catch {
      let written = String(decoding: errors[index].suffix(4096), as: UTF8.self)
      throw WireError(
        .appSpeaksOtherwise,
        "\(executables[index]) has an intent host but does not say what it offers (\(error)); it "
          + "ended with \(end)" + (written.isEmpty ? "" : "\n\(written)"))
    }
  }

  /// Takes out apps that share a bundle identifier: nobody knows which one is meant.
  static func separate(
    _ apps: [InstalledApp]
  ) -> (apps: [InstalledApp], problems: [AppProblem]) {
    let groups = Dictionary(grouping: apps, by: \.bundleIdentifier)
    let problems = groups.filter { $0.value.count > 1 }.sorted { $0.key < $1.key }.map {
      AppProblem(
        bundleIdentifier: $0.key,
        message: "\($0.key) is the bundle identifier of several executables: "
          + $0.value.map(\.executable).joined(separator: ", ")
          + "; give each of them one of its own")
    }
    return (apps.filter { groups[$0.bundleIdentifier]?.count == 1 }, problems)
  }
}

extension AppFinder {
  /// Runs the processes to their ends.
  func describe(
    environment: [String: String], scope: String, loop: EventLoop, registry: ProcessRegistry
  ) -> Found {
    let inbox = Inbox(self)
    let requests = requests(environment: environment, scope: scope)
    for (index, request) in requests.enumerated() {
      do throws(WorkersError) {
        inbox.processes.append(
          try SupervisedProcess(
            request, loop: loop, registry: registry,
            onOutput: { inbox.finder.take(index, $0, $1) },
            onEnd: { end, _ in inbox.ends[index] = "\(end)" }))
      } catch {
        inbox.ends[index] = "\(error)"
      }
    }
    let timer = loop.after(Self.limit) {
      for process in inbox.processes { process.terminate(grace: 0) }
    }
    loop.run { inbox.ends.count == requests.count }
    loop.cancel(timer)
    return inbox.finder.result(ends: requests.indices.map { inbox.ends[$0] ?? "" })
  }

  /// What the processes' handlers share.
  private final class Inbox {
    var finder: AppFinder
    var processes: [SupervisedProcess] = []
    var ends: [Int: String] = [:]

    init(_ finder: AppFinder) { self.finder = finder }
  }
}
