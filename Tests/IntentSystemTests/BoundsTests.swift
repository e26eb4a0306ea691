import Glibc
import IntentWire
import RunModel
import SearchIndex
import TestSupport
import Testing
import Workers

@testable import IntentSystem

/// What is too much, or not as it should be, is the error of its call, and the next call is served.
extension IntentSystemTests {
  private func update(_ entries: [IndexUpdate.Entry], id: Int = 900) -> WireMessage {
    .request(id: id, method: "index.update", parameters: IndexUpdate.upsert(entries).json)
  }

  private func expectToServe(_ test: Client, _ app: Client) throws {
    test.send(perform(77))
    app.send(.result(id: try app.requestID(), [:]))
    #expect(test.receive() == .result(id: 77, [:]))
  }

  /// With the number of the test's call it is longer than with that of the app's.
  @Test func answerThatBecomesTooLong() throws {
    let bench = try Bench()
    defer { bench.stop() }
    let test = try bench.connectTest()
    test.send(perform(1_000_000_000_000))
    let app = try bench.connectApp()
    let id = try app.requestID()
    let empty = WireMessage.result(id: id, ["value": ["string": ""]]).line.count - 1
    let text = String(repeating: "x", count: WireMessage.maximumLength - empty)
    app.send(.result(id: id, ["value": ["string": .string(text)]]))
    let message = test.receive()
    let error = try error(message)
    #expect(error.code == .invalidRequest)
    #expect(error.message.hasPrefix("the answer to 'intent.perform' is 167772"))
    guard case .failure(1_000_000_000_000?, _)? = message else {
      Issue.record("\(String(describing: message))")
      return
    }
    try expectToServe(test, app)
  }

  @Test func indexThatDoesNotFitIntoAnAnswer() throws {
    let bench = try Bench()
    defer { bench.stop() }
    let (test, app) = try bench.answeredCall(perform(1))
    _ = test.receive()
    let text = String(repeating: "y", count: 9_000_000)
    for number in 0..<2 {
      app.send(
        update([.init(type: "Thing", identifier: "\(number)", fields: [.init("title", text)])]))
      _ = app.receive()
    }
    test.send(.request(id: 2, method: "index.wait", parameters: [:]))
    #expect(test.receive() == .result(id: 2, [:]))
    test.send(.request(id: 3, method: "index.dump", parameters: [:]))
    let error = try error(test.receive())
    #expect(error.message.hasPrefix("the answer to 'index.dump' is 1800"), "\(error)")
    try expectToServe(test, app)
  }

  private func spotlight(_ id: Int) -> WireMessage {
    .request(
      id: id, method: "entity.query",
      parameters: [
        "bundle": .string(Bench.bundle), "query": ["type": "Thing", "kind": "spotlight"],
      ])
  }

  /// Answers queries for identifiers with entities that have a property of some length.
  private func answerQueries(_ app: Client, pages: Int, property: String = "") throws -> [Int] {
    var counts: [Int] = []
    for _ in 0..<pages {
      guard case .request(let id, "entity.query", let parameters)? = app.receive() else {
        throw WireError(.internalError, "no query")
      }
      let identifiers = parameters["query"]?["identifiers"]?.array?.compactMap(\.string) ?? []
      counts.append(identifiers.count)
      let entities = identifiers.map {
        IntentValue.entity(
          .init(type: "Thing", identifier: $0, properties: [.init("p", .string(property))])
        ).json
      }
      app.send(.result(id: id, ["entities": .array(entities), "queries": [["asked": []]]]))
    }
    return counts
  }

  /// However many are found, all of them come.
  @Test func searchesThatFindVeryMany() throws {
    let bench = try Bench()
    defer { bench.stop() }
    let (test, app) = try bench.answeredCall(perform(1))
    _ = test.receive()
    app.send(update((0..<2500).map { .init(type: "Thing", identifier: "\($0)") }))
    _ = app.receive()
    test.send(.request(id: 2, method: "index.wait", parameters: [:]))
    _ = test.receive()
    test.send(spotlight(3))
    #expect(try answerQueries(app, pages: 3) == [1000, 1000, 500])
    guard case .result(3, let value)? = test.receive() else { throw WireError(.internalError, "") }
    let found = value["entities"]?.array?.compactMap { $0["entity"]?["id"]?.string }
    #expect(found == (0..<2500).map { "\($0)" })
    #expect(value["queries"]?.array?.count == 3)
    #expect(bench.journal.map(\.method) == ["intent.perform", "entity.query"])

    test.send(spotlight(4))
    let long = String(repeating: "z", count: 9000)
    #expect(try answerQueries(app, pages: 2, property: long) == [1000, 1000])
    let error = try error(test.receive())
    #expect(error.message.contains("the 2500 entries that were found is longer than"), "\(error)")
    try expectToServe(test, app)
  }

  /// Many long identifiers are asked for in parts that fit.
  @Test func longIdentifiersAreAskedForInParts() throws {
    let long = String(repeating: "\u{1F}", count: 30_000)
    let pages = identifierPages((0..<200).map { "\($0)\(long)" }, most: 500)
    #expect(pages.map(\.count) == [69, 69, 62])
    let query = IntentValue.Query(type: "Thing", kind: .identifiers(pages[0]))
    let line = WireMessage.request(
      id: 1, method: "entity.query", parameters: ["query": query.json]
    ).line
    #expect(WireMessage.refusal(of: line, "call") == nil)
    #expect(identifierPages([], most: 5).isEmpty)
    #expect(identifierPages(["a", "b", "c"], most: 2) == [["a", "b"], ["c"]])
  }

  @Test(arguments: [
    (#"5"#, "'result' is no object"), ("null", "'result' is no object"),
    ("[]", "'result' is no object"), (#"{"value":{"bogus":1}}"#, "'bogus' is no kind of value"),
    (#"{"value":{"int":"x"}}"#, "'int' is missing or of the wrong type"),
    (#"{"dialog":5}"#, "'dialog' is missing"), (#"{"opened":[]}"#, "'opened' is missing"),
    (#"{"queries":"x"}"#, "'queries' is missing"), (#"{"queries":[5]}"#, "'queries' is missing"),
  ])
  func answersThatNobodyUnderstands(result: String, text: String) throws {
    let bench = try Bench()
    defer { bench.stop() }
    let test = try bench.connectTest()
    test.send(perform(1))
    let app = try bench.connectApp()
    let id = try app.requestID()
    app.send(Array(#"{"jsonrpc":"2.0","id":\#(id),"result":\#(result)}"#.utf8) + [10])
    let error = try error(test.receive())
    #expect(error.code == .appSpeaksOtherwise)
    #expect(error.message.hasPrefix("com.example.App answered 'intent.perform' with what nobody"))
    #expect(error.message.contains(text), "\(error)")
    try expectToServe(test, try startedAgain(bench, test))
  }

  private func startedAgain(_ bench: Bench, _ test: Client) throws -> Client {
    test.send(perform(5))
    let app = try bench.connectApp()
    app.send(.result(id: try app.requestID(), ["value": nil, "dialog": nil]))
    #expect(test.receive() == .result(id: 5, ["value": nil, "dialog": nil]))
    return app
  }

  @Test(arguments: [
    ("entity.query", #"{"entities":5}"#), ("entity.query", "{}"),
    ("entity.query", #"{"entities":[{"int":1}]}"#), ("screen.read", "{}"),
    ("screen.read", #"{"texts":[5],"entities":[]}"#),
    ("screen.read", #"{"texts":[],"entities":[{}]}"#), ("host.probe", "7"),
  ])
  func otherAnswersThatNobodyUnderstands(method: String, result: String) throws {
    let answer = try WireJSON(reading: Array(result.utf8))
    #expect(problem(with: answer, to: method) != nil)
    #expect(
      problem(
        with: [
          "texts": ["a"], "entities": [["entity": ["entity": ["type": "T", "id": "1"]]]],
        ], to: "screen.read") == nil)
  }

  @Test(arguments: [
    ("intent.perform", #"{"intent":"Do","parameters":{}}"#, "bundle"),
    ("intent.perform", #"{"bundle":5,"intent":"Do","parameters":{}}"#, "bundle"),
    ("intent.perform", #"{"bundle":"com.example.App","parameters":{}}"#, "intent"),
    ("intent.perform", #"{"bundle":"com.example.App","intent":"Do"}"#, "parameters"),
    (
      "intent.perform", #"{"bundle":"com.example.App","intent":"Do","parameters":[]}"#, "parameters"
    ),
    ("entity.query", #"{"bundle":"com.example.App"}"#, "query"),
    ("entity.query", #"{"bundle":"com.example.App","query":{"type":"Thing"}}"#, "query"),
    ("index.check", "{}", "bundle"), ("screen.read", "{}", "bundle"),
  ])
  func parametersOfTheWrongShape(method: String, parameters: String, name: String) throws {
    let bench = try Bench(script: "echo started >&2; exit 1")
    defer { bench.stop() }
    let test = try bench.connectTest()
    let json = try WireJSON(reading: Array(parameters.utf8))
    test.send(.request(id: 1, method: method, parameters: json))
    let error = try error(test.receive())
    #expect(error.code == .invalidParameters && error.parameter == name, "\(error)")
    #expect(error.message.hasPrefix("\(method): "), "\(error)")
  }

  /// What an ended app has left behind may have its connection.
  @Test func connectionOfAnEndedAppCountsForNothing() throws {
    let bench = try Bench(script: Self.endsOnRequest)
    defer { bench.stop() }
    let (test, app) = try bench.answeredCall(perform(1))
    _ = test.receive()
    app.send(update([.init(type: "Thing", identifier: "before")]))
    _ = app.receive()
    try endProcess(bench)
    bench.loop.run { !bench.strayEnds.isEmpty }
    app.send(update([.init(type: "Thing", identifier: "after")]))
    #expect(app.receive() == nil)
    test.send(.request(id: 2, method: "index.dump", parameters: [:]))
    guard case .result(2, let value)? = test.receive() else { throw WireError(.internalError, "") }
    #expect(value.array?.count == 1 && "\(value)".contains("before"))
  }

  @Test func namesInMessagesAreCut() throws {
    let bench = try Bench()
    defer { bench.stop() }
    let test = try bench.connectTest()
    let name = String(repeating: "é", count: 100_000)
    for message in [
      WireMessage.request(id: 1, method: name, parameters: [:]),
      .request(
        id: 1, method: "intent.perform",
        parameters: ["bundle": .string(name), "intent": "Do", "parameters": [:]]),
      .request(
        id: 1, method: "intent.perform",
        parameters: ["bundle": .string(Bench.bundle), "intent": .string(name), "parameters": [:]]),
    ] {
      test.send(message)
      let error = try error(test.receive())
      #expect(error.message.utf8.count < 600 && error.message.contains("bytes left out here]"))
    }
  }

  @Test func connectionsAreBounded() throws {
    let bench = try Bench()
    defer { bench.stop() }
    let test = try bench.connectTest()
    var others: [Client] = []
    for _ in 0..<200 {
      others.append(try bench.connect())
      test.send(.request(id: 1, method: "apps.list", parameters: [:]))
      _ = test.receive()
    }
    #expect(bench.system?.connections == IntentSystem.maximumConnections)
    let refused = try #require(others.last)
    #expect(try error(refused.receive()).message == "there are 128 connections already")
    #expect(refused.receive() == nil)
    for other in others { other.close() }
    bench.loop.run { bench.system?.connections == 1 }
    _ = try bench.connectTest()
  }

  /// Nobody knows yet who speaks.
  @Test func firstLineIsBounded() throws {
    let bench = try Bench()
    defer { bench.stop() }
    let client = try bench.connect()
    client.send([UInt8](repeating: UInt8(ascii: "a"), count: 200_000))
    #expect(try error(client.receive()).code == .invalidRequest)
    #expect(client.receive() == nil)
    let test = try bench.connectTest()
    test.send(perform(1, String(repeating: "a", count: 200_000)))
    let app = try bench.connectApp()
    app.send(.result(id: try app.requestID(), [:]))
    #expect(test.receive() == .result(id: 1, [:]))
  }

  @Test func unfinishedLinesAreBoundedTogether() throws {
    let bench = try Bench()
    defer { bench.stop() }
    let piece = [UInt8](repeating: UInt8(ascii: "a"), count: 15 << 20)
    let clients = try (0..<18).map { _ in
      let client = try bench.connectTest()
      client.send(piece)
      return client
    }
    // What is 17 times 15 MiB is within the limit.
    let last = try #require(clients.last)
    #expect(try error(last.receive()).message.contains("keep more than 268435456 bytes"))
    #expect(last.receive() == nil)
    #expect(bench.system?.connections == 17)
  }

  @Test func callsThatWaitAreBounded() throws {
    let bench = try Bench()
    defer { bench.stop() }
    let test = try bench.connectTest()
    let text = String(repeating: "p", count: 10 << 20)
    for id in 1...7 { test.send(perform(id, text)) }
    let error = try error(test.receive())
    #expect(error.code == .invalidRequest, "\(error)")
    #expect(error.message.hasPrefix("6 calls of 6291"), "\(error)")
    let app = try bench.connectApp()
    for id in 1...6 {
      app.send(.result(id: try app.requestID(), [:]))
      #expect(test.receive() == .result(id: id, [:]))
    }
    try expectToServe(test, app)
  }

  @Test func manyCallsThatWaitAreBounded() throws {
    let bench = try Bench()
    defer { bench.stop() }
    let test = try bench.connectTest()
    for id in 1...AppSlot.maximumQueue + 1 { test.send(perform(id)) }
    let error = try error(test.receive())
    #expect(error.message.hasPrefix("\(AppSlot.maximumQueue) calls of"))
  }

  /// The update is lost; who asks next is told once, and the index goes on.
  @Test(.enabled(if: geteuid() == 0, "mounting takes root"))
  func fullDiskIsTold() throws {
    let disk = try TemporaryFolder()
    try #require(mount("none", disk.path, "tmpfs", 0, "size=1m") == 0)
    defer { umount2(disk.path, Int32(MNT_DETACH)) }
    let bench = try Bench {
      let path = disk.path + "/index.sqlite"
      try SearchIndex.createEmpty(at: path)
      $0.indexPath = path
    }
    defer { bench.stop() }
    let (test, app) = try bench.answeredCall(perform(1))
    _ = test.receive()
    let text = String(repeating: "long ", count: 500_000)
    app.send(update([.init(type: "Thing", identifier: "1", fields: [.init("title", text)])]))
    _ = app.receive()
    app.send(update([.init(type: "Thing", identifier: "2")]))
    _ = app.receive()
    bench.loop.run { bench.system?.indexFault != nil }
    #expect(bench.system?.indexFault?.isOfSurroundings == true)
    test.send(.request(id: 2, method: "index.dump", parameters: [:]))
    let error = try error(test.receive())
    #expect(error.message.contains("an app's update of the index failed"), "\(error)")
    #expect(error.message.contains("full"), "\(error)")
    test.send(.request(id: 3, method: "index.dump", parameters: [:]))
    guard case .result(3, let value)? = test.receive() else { throw WireError(.internalError, "") }
    #expect(value.array?.count == 1)
    #expect(bench.system?.indexFault?.isOfSurroundings == true)
  }
}
