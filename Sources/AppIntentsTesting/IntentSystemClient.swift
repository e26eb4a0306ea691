import Foundation
import IntentSystem
import IntentWire

/// The connection of this test process to the intent system: the batch's, or one of its own when no
/// orchestrator has started it.
actor IntentSystemClient {
  private static let shared = IntentSystemClient()
  /// Made by the first call; calls that come meanwhile wait for it.
  private var connecting: Task<Result<WireConnection, WireError>, Never>?

  /// Calls the system; everything that goes wrong is an ``AppIntentError``.
  ///
  /// - Parameters:
  ///   - name: What is called, for people.
  ///   - site: Where the test calls it.
  static func call(
    _ method: String, _ parameters: WireJSON, name: String? = nil, site: CallSite? = nil
  ) async throws -> WireJSON {
    do throws(WireError) {
      return try await shared.connected().call(method, parameters)
    } catch {
      throw AppIntentError(error, call: name, site: site)
    }
  }

  private func connected() async throws(WireError) -> WireConnection {
    if let connecting { return try await connecting.value.get() }
    let task = Task { () -> Result<WireConnection, WireError> in
      do throws(WireError) {
        return .success(try await Self.connect())
      } catch {
        return .failure(error)
      }
    }
    connecting = task
    return try await task.value.get()
  }

  private static func connect() async throws(WireError) -> WireConnection {
    let path: String
    let environment = ProcessInfo.processInfo.environment
    if let given = environment["CARREL_INTENT_SOCKET"] {
      path = given
    } else if environment["CARREL_BATCH"] != nil {
      // A system of its own would have neither isolation nor evidence.
      throw WireError(
        .systemUnreachable,
        "carrel started no intent system for this test: as far as the build tells, its target does "
          + "not depend on AppIntentsTesting; add the dependency to the target in Package.swift")
    } else {
      path = try PrivateSystem().socketPath
    }
    let connection = WireConnection(descriptor: try UnixSocket.connect(to: path))
    _ = try await connection.call(
      "hello", ["role": "test", "protocol": .string(WireMessage.version)])
    return connection
  }
}

/// Waits until everything that apps have told the index so far can be found.
public func waitUntilIndexed(
  fileID: String = #fileID, line: Int = #line
) async throws {
  _ = try await IntentSystemClient.call(
    "index.wait", .object([]), site: CallSite(fileID: fileID, line: line))
}

/// Names the fixture of the attempt that runs: the same for the same seed of a run and the same
/// test, so data made from it repeats.
public enum FixtureToken {
  /// `nil` when no orchestrator has started the test.
  public static let current = ProcessInfo.processInfo.environment["CARREL_FIXTURE_TOKEN"]
}
