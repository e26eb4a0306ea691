import AppIntents
import CImageSections
import CoreSpotlight
import Foundation
import IntentWire

/// An app on Linux: a bundle identifier, and a place to set things up.
///
/// ```swift
/// @main struct NotesApp: HostedApp {
///   static let bundleIdentifier = "com.example.Notes"
///   init() { AppDependencyManager.shared.add(dependency: NoteStore()) }
/// }
/// ```
///
/// The executable is an installed app for every suite that runs beside it: its intents, entities,
/// enumerations, queries and shortcuts are found in it without a list.
public protocol HostedApp {
  /// The name by which tests address it, for example `com.example.Notes`.
  static var bundleIdentifier: String { get }

  /// Called once, before the first call is answered.
  @MainActor init()
}

extension HostedApp {
  /// Serves intents until the intent system ends the process.
  ///
  /// Started by hand, it says what it is and ends; with `--describe` it prints what it offers as
  /// JSON.
  @MainActor public static func main() async {
    if CommandLine.arguments.dropFirst().first == "--describe" {
      let description = AppRegistry.ofThisExecutable().description(
        bundleIdentifier: bundleIdentifier)
      print(String(decoding: description.json.bytes, as: UTF8.self))
      return
    }
    let environment = OwnEnvironment()
    guard let path = environment["CARREL_INTENT_SOCKET"],
      let token = environment["CARREL_INTENT_TOKEN"]
    else {
      print(
        "\(bundleIdentifier) is an app without a screen: tests start it when they call one of its "
          + "\(AppRegistry.ofThisExecutable().intents.count) intents. --describe prints what it "
          + "offers.")
      return
    }
    // What was printed before a crash or a hang shall be seen.
    carrel_pass_lines_on()
    await serve(path: path, token: token)
  }

  @MainActor private static func serve(
    path: String, token: String
  ) async {
    // Looked for while the app sets itself up and the system hears of it.
    let calls = Task.detached { HostCalls(registry: AppRegistry.ofThisExecutable()) }
    do {
      let app = Self()
      let connection = WireConnection(descriptor: try UnixSocket.connect(to: path)) {
        method, parameters throws(WireError) in
        try await calls.value.answer(method, parameters)
      }
      CSSearchableIndex.setSink(SystemIndex(connection: connection))
      _ = try await connection.call(
        "hello",
        [
          "role": "host", "protocol": .string(WireMessage.version), "token": .string(token),
          "bundle": .string(bundleIdentifier), "compiler": .string(compilerVersion),
          "clang": .string(String(cString: carrel_clang_version())),
        ])
      await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        connection.onEnd { _ in continuation.resume() }
      }
      withExtendedLifetime(app) {}
      // Whatever the app has started ends with its process.
      exit(0)
    } catch {
      FileHandle.standardError.write(
        Data("\(bundleIdentifier) cannot serve intents: \(error.message)\n".utf8))
      exit(1)
    }
  }
}

/// The variables of the process, read one by one: a dictionary of all of them takes longer to make
/// than the rest of the way to an app's first answer.
private struct OwnEnvironment {
  subscript(name: String) -> String? {
    var entry = environ
    while let text = entry.pointee {
      let length = name.utf8.count
      if strncmp(text, name, length) == 0, text[length] == CChar(UInt8(ascii: "=")) {
        return String(cString: text + length + 1)
      }
      entry += 1
    }
    return nil
  }
}

/// Hands what the app tells its index to the intent system.
private struct SystemIndex: IndexSink {
  let connection: WireConnection

  func update(_ update: IndexUpdate) async throws {
    _ = try await connection.call("index.update", update.json)
  }
}
