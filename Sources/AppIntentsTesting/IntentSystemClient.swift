import Foundation
import IntentSystem
import IntentWire

/// The connection of this test process to the intent system: the batch's, or one of its own when no
/// orchestrator has started it.
actor IntentSystemClient {
  private static let shared = IntentSystemClient()
  private var connection: WireConnection?
  private var privateSystem: PrivateSystem?

  /// Calls the system; everything that goes wrong is an ``AppIntentError``.
  static func call(_ method: String, _ parameters: WireJSON) async throws -> WireJSON {
    do throws(WireError) {
      return try await shared.connected().call(method, parameters)
    } catch {
      throw AppIntentError(error)
    }
  }

  private func connected() async throws(WireError) -> WireConnection {
    if let connection { return connection }
    let path: String
    if let given = ProcessInfo.processInfo.environment["CARREL_INTENT_SOCKET"] {
      path = given
    } else {
      let system = try PrivateSystem()
      privateSystem = system
      path = system.socketPath
    }
    let made = WireConnection(descriptor: try UnixSocket.connect(to: path))
    connection = made
    do throws(WireError) {
      _ = try await made.call(
        "hello", ["role": "test", "protocol": .string(WireMessage.version)])
    } catch {
      connection = nil
      throw error
    }
    return made
  }
}

/// Waits until everything that apps have told the index so far can be found.
public func waitUntilIndexed() async throws {
  _ = try await IntentSystemClient.call("index.wait", .object([]))
}

extension IntentDefinitions {
  /// The texts on the app's screen.
  public func screenTexts() async throws -> [String] {
    let answer = try await IntentSystemClient.call(
      "screen.read", ["bundle": .string(bundleIdentifier)])
    return (answer["texts"]?.array ?? []).compactMap(\.string)
  }
}
