import Glibc
import IntentWire
import SystemFiles
package import Workers

/// Finds the apps among a package's products.
package struct AppFinder {
  private let loop: EventLoop
  private let registry: ProcessRegistry

  package init(loop: EventLoop, registry: ProcessRegistry) {
    self.loop = loop
    self.registry = registry
  }

  /// Executables in a folder with an intent host in them, by name.
  package static func executables(in folder: String) -> [String] {
    (folderEntries(folder) ?? []).sorted().map { "\(folder)/\($0)" }.filter { path in
      var info = stat()
      guard lstat(path, &info) == 0, info.st_mode & S_IFMT == S_IFREG, info.st_mode & 0o100 != 0,
        !path.hasSuffix(".xctest"), !path.hasSuffix(".so")
      else { return false }
      return ExecutableMark.isIntentHost(path)
    }
  }

  /// Asks executables what they offer, all at once; `--describe` is answered before anything of the
  /// app's own runs.
  ///
  /// - Parameter limit: Seconds.
  /// - Returns: The apps, and what went wrong with the others.
  package func describe(
    _ executables: [String], environment: [String: String], scope: String, limit: Double = 20
  ) -> (apps: [InstalledApp], problems: [String]) {
    var outputs = executables.map { _ in [UInt8]() }
    var ends = executables.map { _ in String?.none }
    var processes: [SupervisedProcess] = []
    for (index, executable) in executables.enumerated() {
      let request = ProcessRequest(
        executable: executable, arguments: ["--describe"], environment: environment,
        scope: "\(scope)-describe-\(index)")
      do throws(WorkersError) {
        processes.append(
          try SupervisedProcess(
            request, loop: loop, registry: registry,
            onOutput: { stream, bytes in
              if stream == .stdout, outputs[index].count < WireMessage.maximumLength {
                outputs[index] += bytes
              }
            }, onEnd: { end, _ in ends[index] = "\(end)" }))
      } catch {
        ends[index] = "\(error)"
      }
    }
    let timer = loop.after(limit) { for process in processes { process.terminate(grace: 0) } }
    loop.run { ends.allSatisfy { $0 != nil } }
    loop.cancel(timer)
    var apps: [InstalledApp] = []
    var problems: [String] = []
    for (index, executable) in executables.enumerated() {
      do throws(WireError) {
        apps.append(try app(executable, outputs[index], end: ends[index] ?? ""))
      } catch {
        problems.append(error.message)
      }
    }
    return (apps, problems + Self.conflicts(apps))
  }

  private func app(
    _ executable: String, _ output: [UInt8], end: String
  ) throws(WireError) -> InstalledApp {
    let line = output.last == 0x0A ? Array(output.dropLast()) : output
    do {
      return InstalledApp(
        description: try AppDescription(json: WireJSON(reading: line)), executable: executable)
    } catch {
      throw WireError(
        .appSpeaksOtherwise,
        "\(executable) has an intent host but does not say what it offers (\(error)); it ended "
          + "with \(end)")
    }
  }

  private static func conflicts(_ apps: [InstalledApp]) -> [String] {
    Dictionary(grouping: apps, by: \.bundleIdentifier).filter { $0.value.count > 1 }
      .sorted { $0.key < $1.key }.map { bundle, apps in
        "\(bundle) is the bundle identifier of several executables: "
          + apps.map(\.executable).joined(separator: ", ")
      }
  }
}
