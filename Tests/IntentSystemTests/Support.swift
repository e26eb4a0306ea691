import Glibc
import IntentWire
import RunModel
import SearchIndex
import SystemFiles
import TestSupport
import Testing
import Workers

@testable import IntentSystem

/// An intent system on a loop that the test turns, with an app whose side the test plays: the app's
/// process only prints its token and sleeps.
final class Bench {
  static let bundle = "com.example.App"

  let loop: EventLoop
  let folder: TemporaryFolder
  private(set) var system: IntentSystem?
  private(set) var journal: [JournalEntry] = []
  private(set) var strayEnds: [WireError] = []
  /// What the app's processes have printed that was not read as a token.
  private var output: [UInt8] = []
  private var isStopped = false

  /// - Parameter script: What the app's process does in `sh`.
  init(
    script: String = #"echo "$CARREL_INTENT_TOKEN"; exec sleep 300"#,
    change: (inout IntentSystem.Configuration) throws -> Void = { _ in }
  ) throws {
    loop = try EventLoop()
    folder = try TemporaryFolder()
    let executable = folder.path(of: "app")
    try writeSmallFile(executable, Array("#!/bin/sh\n\(script)\n".utf8), mode: 0o755)
    let index = folder.path(of: "index.sqlite")
    try SearchIndex.createEmpty(at: index)
    let entity = AppDescription.Entity(
      identifier: "Thing", title: "Thing", properties: [], canMatch: false, canList: false,
      isIndexed: true)
    let intent = AppDescription.Intent(
      identifier: "Do", title: "Do", isDiscoverable: true, opensApp: false,
      parameters: [.init(name: "text", title: "Text", type: .string)])
    let app = InstalledApp(
      description: AppDescription(
        bundleIdentifier: Self.bundle, compiler: "none", intents: [intent],
        entities: [
          entity,
          .init(
            identifier: "T", title: "T", properties: [], canMatch: false, canList: false,
            isIndexed: true),
        ],
        enumerations: [], shortcuts: []),
      executable: executable)
    var configuration = IntentSystem.Configuration(
      socketPath: folder.path(of: "socket"), indexPath: index, apps: [app],
      environment: ["PATH": "/usr/bin:/bin"],
      scope: "bench-\(getpid())", runtime: "test", fixtureToken: "token")
    try change(&configuration)
    configuration.onJournal = { [unowned self] in journal.append($0) }
    configuration.onHostOutput = { [unowned self] in output += Array($1) }
    configuration.onStrayEnd = { [unowned self] in strayEnds.append($0) }
    system = try IntentSystem(
      configuration, loop: loop, registry: try ProcessRegistry(ownsAllChildren: false))
  }

  /// Ends everything; must be called, or processes stay.
  func stop() {
    system?.stop { self.isStopped = true }
    loop.run { isStopped }
    system = nil
  }

  /// The next line that the app's process prints.
  func line() throws -> String {
    loop.run { output.contains(0x0A) }
    let end = try #require(output.firstIndex(of: 0x0A))
    let line = String(decoding: output[..<end], as: UTF8.self)
    output.removeSubrange(...end)
    return line
  }

  /// A connection that has said nothing yet.
  func connect() throws -> Client {
    try Client(descriptor: UnixSocket.connect(to: folder.path(of: "socket")), loop: loop)
  }

  /// A connection that has said hello as a test.
  func connectTest() throws -> Client {
    let client = try connect()
    client.send(
      .request(id: 1, method: "hello", parameters: ["role": "test", "protocol": "1.0"]))
    _ = try #require(client.receive())
    return client
  }

  /// A test that has sent a call, and the app's process that has answered it.
  func answeredCall(_ call: WireMessage, by answer: WireJSON = [:]) throws -> (
    test: Client, app: Client
  ) {
    let test = try connectTest()
    test.send(call)
    let app = try connectApp()
    app.send(.result(id: try app.requestID(), answer))
    return (test, app)
  }

  /// The app's side of the process that was started last.
  func connectApp(bundle: String = Bench.bundle) throws -> Client {
    let token = try line()
    let client = try connect()
    client.send(
      .request(
        id: 1, method: "hello",
        parameters: [
          "role": "host", "protocol": "1.0", "token": .string(token),
          "bundle": .string(bundle),
        ]))
    _ = try #require(client.receive())
    return client
  }
}

/// The other end of a connection of the intent system.
final class Client {
  let descriptor: Int32
  private let loop: EventLoop
  private var framer = LineFramer(limit: 128 << 20)
  private var lines: [WireMessage] = []
  private(set) var isClosed = false

  init(descriptor: Int32, loop: EventLoop) throws {
    self.descriptor = descriptor
    self.loop = loop
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    loop.watch(descriptor) { [unowned self] in readSome() }
  }

  deinit { close() }

  func close() {
    guard !isClosed else { return }
    isClosed = true
    loop.unwatch(descriptor)
    Glibc.close(descriptor)
  }

  func send(_ message: WireMessage) { send(message.line) }

  /// Sends all of it, turning the loop while the other side has to read.
  func send(_ bytes: [UInt8]) {
    var sent = 0
    while sent < bytes.count, !isClosed {
      let count = bytes[sent...].withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count > 0 {
        sent += count
      } else if errno == EAGAIN {
        var turned = false
        loop.after(0) { turned = true }
        loop.run { turned }
      } else {
        return
      }
    }
  }

  /// The next message; `nil` when the other side has closed the connection.
  func receive() -> WireMessage? {
    loop.run { !lines.isEmpty || isClosed }
    return lines.isEmpty ? nil : lines.removeFirst()
  }

  /// The number of the next message, which has to be a request.
  func requestID() throws -> Int {
    let message = receive()
    guard case .request(let id, _, _)? = message else {
      throw WireError(.internalError, "no request but \(String(describing: message))")
    }
    return id
  }

  private func readSome() {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = read(descriptor, &buffer, buffer.count)
    if count < 0, errno == EAGAIN { return }
    guard count > 0 else { return close() }
    buffer[..<count].withUnsafeBytes { bytes in
      framer.feed(bytes) { line in
        if let line, let message = try? WireMessage(line: line) { lines.append(message) }
      }
    }
  }
}

/// The open files of this process below a folder.
func openFiles(below folder: String) -> [String] {
  (folderEntries("/proc/self/fd") ?? []).compactMap {
    try? linkTarget(of: Array("/proc/self/fd/\($0)".utf8), in: AT_FDCWD)
  }.map { String(decoding: $0, as: UTF8.self) }.filter { $0.hasPrefix(folder) }
}
