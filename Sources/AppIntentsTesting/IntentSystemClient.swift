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
  static func call(_ method: String, _ parameters: WireJSON) async throws -> WireJSON {
    do throws(WireError) {
      return try await shared.connected().call(method, parameters)
    } catch {
      throw AppIntentError(error)
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
public func waitUntilIndexed() async throws {
  _ = try await IntentSystemClient.call("index.wait", .object([]))
}

/// An entry of the index, as an app has told it.
public struct IndexEntry: Hashable, Sendable {
  /// The name of the entity's type; empty for an item that is no entity.
  public let type: String
  public let identifier: String
  public let domain: String?
  /// Texts by the name of their field, for example `title`.
  public let fields: [String: String]
}

/// Everything that can be found in the index of this test now, by type and identifier.
public func indexEntries() async throws -> [IndexEntry] {
  let answer = try await IntentSystemClient.call("index.dump", .object([]))
  return (answer.array ?? []).compactMap { json in
    guard case .upsert(let entries)? = try? IndexUpdate(json: json), let entry = entries.first
    else { return nil }
    return IndexEntry(
      type: entry.type, identifier: entry.identifier, domain: entry.domain,
      fields: Dictionary(
        entry.fields.map { ($0.name, $0.text) }, uniquingKeysWith: { $0 + "\n" + $1 }))
  }
}

extension IntentDefinitions {
  /// Entries of the index whose entity the app's query does not find any more: an app that deletes
  /// something has to delete it from the index, too.
  public func orphanedIndexEntries() async throws -> [AttributedEntityIdentifier] {
    let answer = try await IntentSystemClient.call(
      "index.check", ["bundle": .string(bundleIdentifier)])
    return (answer["orphans"]?.array ?? []).map {
      AttributedEntityIdentifier(
        entityType: $0["type"]?.string ?? "", instanceIdentifier: $0["id"]?.string ?? "")
    }
  }

  /// The texts on the app's screen.
  public func screenTexts() async throws -> [String] {
    let answer = try await IntentSystemClient.call(
      "screen.read", ["bundle": .string(bundleIdentifier)])
    return (answer["texts"]?.array ?? []).compactMap(\.string)
  }
}

/// Names the fixture of the attempt that runs: the same for the same seed of a run and the same
/// test, so data made from it repeats.
public enum FixtureToken {
  /// `nil` when no orchestrator has started the test.
  public static let current = ProcessInfo.processInfo.environment["CARREL_FIXTURE_TOKEN"]
}
