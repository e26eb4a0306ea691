import FoundationEssentials
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

  /// The processes that describe the apps; they can run side by side.
  package let requests: [ProcessRequest]
  private let executables: [String]
  /// What is wrong with files that should be executables.
  private let damages: [String]
  private var outputs: [[UInt8]]
  private var errors: [[UInt8]]

  /// - Parameters:
  ///   - folder: The folder with what the build made.
  ///   - environment: The environment of a container.
  package init(folder: String, environment: [String: String], scope: String) {
    let current = Self.currentProducts(in: folder)
    let files = Self.executableFiles(in: folder)
    executables = files.filter { path in
      current?.contains(lastComponent(of: path)) ?? true
        && hasSection(Self.mark, inExecutable: path)
    }
    damages = files.filter {
      current?.contains(lastComponent(of: $0)) ?? false && !isWholeProgram($0)
    }.map { "\($0) is not a whole program, so it may be an app; build it anew" }
    requests = executables.enumerated().map { index, executable in
      ProcessRequest(
        executable: executable, arguments: ["--describe"], environment: environment,
        scope: "\(scope)-describe-\(index)")
    }
    outputs = executables.map { _ in [] }
    errors = outputs
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
    struct Description: Decodable {
      struct Ignored: Decodable {
        init(from decoder: any Decoder) {}
      }
      var writeCommands: [String: Ignored]
    }
    guard let bytes = readSmallFile("\(folder)/description.json"),
      let description = try? JSONDecoder().decode(Description.self, from: Data(bytes))
    else { return nil }
    let suffix = ".product/Objects.LinkFileList"
    return Set(
      description.writeCommands.keys.filter { $0.hasSuffix(suffix) }.map {
        lastComponent(of: String($0.dropLast("/Objects.LinkFileList".utf8.count)))
      }.map { String($0.dropLast(".product".utf8.count)) })
  }

  /// Takes what the process of an index wrote.
  package mutating func take(
    _ index: Int, _ stream: ProcessStream, _ bytes: UnsafeRawBufferPointer
  ) {
    switch stream {
    case .stdout where outputs[index].count < WireMessage.maximumLength: outputs[index] += bytes
    case .stderr where errors[index].count < 16 << 10: errors[index] += bytes
    default: break
    }
  }

  /// What the processes said, once all of them have ended.
  ///
  /// - Parameter ends: How each ended, for people.
  /// - Returns: The apps, and what is wrong with the others.
  package func result(ends: [String]) -> (apps: [InstalledApp], problems: [String]) {
    var apps: [InstalledApp] = []
    var problems = damages
    for index in executables.indices {
      do throws(WireError) {
        apps.append(try app(index, end: ends[index]))
      } catch {
        problems.append(error.message)
      }
    }
    let (unambiguous, conflicts) = Self.separate(apps)
    return (unambiguous, problems + conflicts)
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
  static func separate(_ apps: [InstalledApp]) -> (apps: [InstalledApp], problems: [String]) {
    let groups = Dictionary(grouping: apps, by: \.bundleIdentifier)
    let problems = groups.filter { $0.value.count > 1 }.sorted { $0.key < $1.key }.map {
      "\($0.key) is the bundle identifier of several executables: "
        + $0.value.map(\.executable).joined(separator: ", ")
    }
    return (apps.filter { groups[$0.bundleIdentifier]?.count == 1 }, problems)
  }
}

extension AppFinder {
  /// Runs the processes to their ends.
  func describe(
    loop: EventLoop, registry: ProcessRegistry
  ) -> (apps: [InstalledApp], problems: [String]) {
    let inbox = Inbox(self)
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
