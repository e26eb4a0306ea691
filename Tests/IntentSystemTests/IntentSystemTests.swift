import CSQLite
import Glibc
import IntentWire
import RunModel
import SystemFiles
import TestSupport
import Testing
import Workers

@testable import IntentSystem

/// Serial, because a process has only one set of children.
@Suite(.serialized) struct IntentSystemTests {
  func perform(_ id: Int, _ text: String = "x") -> WireMessage {
    .request(
      id: id, method: "intent.perform",
      parameters: [
        "bundle": .string(Bench.bundle), "intent": "Do",
        "parameters": ["text": ["string": .string(text)]],
      ])
  }

  func error(_ message: WireMessage?) throws -> WireError {
    guard case .failure(_, let error)? = message else {
      throw WireError(.internalError, "no error but \(String(describing: message))")
    }
    return error
  }

  @Test func callsArePassedOnOneAtATime() throws {
    let bench = try Bench()
    defer { bench.stop() }
    let test = try bench.connectTest()
    for id in 10..<13 { test.send(perform(id, "\(id)")) }
    let app = try bench.connectApp()
    for id in 10..<13 {
      guard case .request(let number, "intent.perform", let call)? = app.receive() else {
        throw WireError(.internalError, "no call")
      }
      #expect(call["parameters"]?["text"]?["string"]?.string == "\(id)")
      app.send(.result(id: number, ["value": ["int": .int(Int64(id))], "queries": []]))
      #expect(
        test.receive() == .result(id: id, ["value": ["int": .int(Int64(id))], "queries": []]))
    }
    #expect(bench.journal.map(\.intent) == ["Do", "Do", "Do"])
    #expect(bench.journal.allSatisfy { $0.fixtureToken == "token" && $0.error == nil })
    #expect(bench.strayEnds.isEmpty)
  }

  @Test func namesThatAreNotThereNeedNoProcess() throws {
    let bench = try Bench(script: "echo started >&2; exit 1")
    defer { bench.stop() }
    let test = try bench.connectTest()
    let cases: [(WireJSON, WireError.Code, String)] = [
      (
        ["bundle": "com.example.Ap", "intent": "Do", "parameters": [:]], .unknownApp,
        "installed are com.example.App"
      ),
      (
        ["bundle": .string(Bench.bundle), "intent": "do", "parameters": [:]], .unknownName,
        "did you mean 'Do'?"
      ),
      (
        ["bundle": .string(Bench.bundle), "intent": "Do", "parameters": ["txt": nil]], .unknownName,
        "did you mean 'text'?"
      ),
    ]
    for (parameters, code, text) in cases {
      test.send(.request(id: 1, method: "intent.perform", parameters: parameters))
      let error = try error(test.receive())
      #expect(error.code == code && error.message.contains(text), "\(error)")
    }
    #expect(bench.system?.log(of: Bench.bundle) == "")
    #expect(bench.journal.count == 3)
  }

  @Test func processThatEndsIsChargedAndStartedAfresh() throws {
    let bench = try Bench(script: "echo words >&2; exit 3")
    defer { bench.stop() }
    let test = try bench.connectTest()
    for id in 1...2 {
      test.send(perform(id))
      let error = try error(test.receive())
      #expect(error.code == .appNotStarted && error.log == "words\n", "\(error)")
      #expect(error.message.contains("ended with exit status 3 before it connected"))
    }
  }

  @Test func appsHaveTheLimitsOfTheBatch() throws {
    let limiter = Limiter(ResourceLimits(files: 77))
    let limits = try #require(try limiter.begin(batch: 1, worker: 1))
    let bench = try Bench(script: "ulimit -n; exec sleep 300") { $0.limits = limits.process }
    defer { bench.stop() }
    let test = try bench.connectTest()
    test.send(perform(1))
    #expect(try bench.line() == "77")
    let processes = bench.system?.hostProcesses ?? []
    #expect(processes.map(\.bundle) == [Bench.bundle])
    #expect(try kill(#require(processes.first?.pid), 0) == 0)
  }

  @Test func limitsOfStartAndCall() throws {
    var bench = try Bench { $0.startLimit = 0.05 }
    var test = try bench.connectTest()
    test.send(perform(1))
    var error = try error(test.receive())
    #expect(error.code == .appNotStarted && error.message.contains("within 0.05 s"), "\(error)")
    bench.stop()

    bench = try Bench { $0.callLimit = 0.05 }
    test = try bench.connectTest()
    test.send(perform(1))
    let app = try bench.connectApp()
    error = try self.error(test.receive())
    #expect(error.code == .appHangs && error.message.contains("0.05 s"), "\(error)")
    loopUntilClosed(app, bench)
    bench.stop()
  }

  /// Somebody looks at the process before it is ended; what it says meanwhile counts for nothing.
  @Test func appThatHangsIsLookedAt() throws {
    var reasons: [String] = []
    var goOn: [() -> Void] = []
    let bench = try Bench {
      $0.callLimit = 0.05
      $0.callLimitAdvice = "change it"
      $0.onHang = { reason, end in
        reasons.append(reason)
        goOn.append(end)
      }
    }
    defer { bench.stop() }
    let test = try bench.connectTest()
    test.send(perform(1))
    let app = try bench.connectApp()
    let id = try app.requestID()
    bench.loop.run { !goOn.isEmpty }
    let text =
      "Do of com.example.App did not answer within 0.05 s; its process was ended; change it"
    #expect(reasons == [text])
    #expect(try kill(#require(bench.system?.hostProcesses.first?.pid), 0) == 0)
    app.send(.result(id: id, ["value": ["int": 1]]))
    goOn.removeFirst()()
    let error = try error(test.receive())
    #expect(error.code == .appHangs && error.message == text)
    #expect(bench.journal.map(\.error?.code) == [.appHangs])
    loopUntilClosed(app, bench)
  }

  @Test func callThatIsOpenWhenTheSystemStopsSaysSo() throws {
    let bench = try Bench()
    let test = try bench.connectTest()
    test.send(perform(1))
    let app = try bench.connectApp()
    _ = try app.requestID()
    bench.stop()
    let error = try #require(bench.journal.first?.error)
    #expect(error.code == .callerEnded)
    #expect(error.message.hasPrefix("Do of com.example.App had not answered after 0"), "\(error)")
  }

  @Test func appsWithFaultsAreNotCalled() throws {
    var faults: [WireError] = []
    let bench = try Bench(script: "echo started; exit 1") {
      $0.faults = [Bench.bundle: WireError(.appNotStarted, "broken", log: "words")]
      $0.problems = [AppProblem(bundleIdentifier: "com.example.Twin", message: "there are two")]
      $0.onFault = { faults.append($0) }
    }
    defer { bench.stop() }
    let test = try bench.connectTest()
    test.send(perform(1))
    #expect(try error(test.receive()) == WireError(.appNotStarted, "broken", log: "words"))
    for (bundle, text) in [("com.example.Twin", "there are two"), ("com.example.Ap", "did you")] {
      test.send(
        .request(
          id: 2, method: "intent.perform",
          parameters: ["bundle": .string(bundle), "intent": "Do", "parameters": [:]]))
      let error = try error(test.receive())
      #expect(error.code == .unknownApp && error.message.contains(text), "\(error)")
    }
    #expect(faults.map(\.message) == ["broken", "there are two"])
    #expect(bench.system?.log(of: Bench.bundle) == "")
  }

  /// An executable that does not say which app it is may be the one that is called.
  @Test func appThatIsNotThereMayBeAnExecutableThatIsSilent() throws {
    var faults: [WireError] = []
    let bench = try Bench {
      $0.problems = [AppProblem(message: "Broken is no whole program")]
      $0.onFault = { faults.append($0) }
    }
    defer { bench.stop() }
    let test = try bench.connectTest()
    test.send(
      .request(
        id: 2, method: "intent.perform",
        parameters: ["bundle": "com.example.Other", "intent": "Do", "parameters": [:]]))
    let error = try error(test.receive())
    #expect(error.message == "com.example.Other is not present\nBroken is no whole program")
    #expect(faults == [error])
  }

  /// The index is asked before what an app has told it can be found.
  @Test func pendingUpdatesAreTold() throws {
    var notes: [String] = []
    let bench = try Bench {
      $0.indexDelay = 60
      $0.onPendingUpdates = { notes.append("\($0) \($1)") }
    }
    defer { bench.stop() }
    let (test, app) = try bench.answeredCall(perform(1))
    #expect(test.receive() == .result(id: 1, [:]))
    for number in 1...2 {
      let entry = IndexUpdate.Entry(type: "T", identifier: "\(number)")
      app.send(
        .request(id: number, method: "index.update", parameters: IndexUpdate.upsert([entry]).json))
      #expect(app.receive() == .result(id: number, .object([])))
    }
    test.send(
      .request(
        id: 2, method: "entity.query",
        parameters: [
          "bundle": .string(Bench.bundle),
          "query": ["type": "T", "kind": "spotlight", "text": "milk"],
        ]))
    #expect(test.receive() == .result(id: 2, ["entities": [], "queries": []]))
    #expect(notes == ["2 T 'milk'"])
    #expect(bench.journal.map(\.pendingUpdates) == [0, 2])
    #expect(bench.journal.last?.json["pendingUpdates"] == 2)
  }

  /// Two entries of three differ from what the app would index, one of them because it is hidden.
  @Test func staleEntriesAreFound() throws {
    let bench = try Bench()
    defer { bench.stop() }
    let (test, app) = try bench.answeredCall(perform(1))
    #expect(test.receive() == .result(id: 1, [:]))
    func entry(_ identifier: String, _ fields: [IndexUpdate.Field]) -> IndexUpdate.Entry {
      .init(type: "T", identifier: identifier, domain: "d", fields: fields)
    }
    let indexed = ["1", "2", "3"].map { entry($0, [.init("title", "Title \($0)")]) }
    app.send(.request(id: 7, method: "index.update", parameters: IndexUpdate.upsert(indexed).json))
    #expect(app.receive() == .result(id: 7, .object([])))
    test.send(.request(id: 2, method: "index.wait", parameters: [:]))
    #expect(test.receive() == .result(id: 2, .object([])))
    test.send(
      .request(
        id: 3, method: "index.check",
        parameters: ["bundle": .string(Bench.bundle), "compares": true]))
    guard case .request(let id, "entity.index", let question)? = app.receive() else {
      throw WireError(.internalError, "the app was not asked")
    }
    #expect(question["query"]?["identifiers"]?.array?.count == 3)
    let now = [
      entry("1", [.init("title", "Title 1"), .init("keywords", "")]),
      entry("2", [.init("title", "New"), .init("keywords", "k")]),
    ]
    app.send(.result(id: id, ["entries": IndexUpdate.upsert(now).json, "hidden": ["3"]]))
    #expect(
      test.receive()
        == .result(
          id: 3,
          [
            "stale": [
              ["type": "T", "id": "3", "differences": []],
              [
                "type": "T", "id": "2",
                "differences": [
                  ["field": "keywords", "indexed": nil, "current": "k"],
                  ["field": "title", "indexed": "Title 2", "current": "New"],
                ],
              ],
            ]
          ]))
  }

  func loopUntilClosed(_ client: Client, _ bench: Bench) {
    while client.receive() != nil {}
    #expect(client.isClosed)
  }

  @Test(arguments: ["", "not json\n", "{}\n", #"{"jsonrpc":"2.0","id":99,"result":{}}"# + "\n"])
  func appThatSpeaksOtherwiseIsEnded(words: String) throws {
    let bench = try Bench()
    defer { bench.stop() }
    let test = try bench.connectTest()
    test.send(perform(1))
    var app = try bench.connectApp()
    _ = app.receive()
    if words.isEmpty { app.close() } else { app.send(Array(words.utf8)) }
    let error = try error(test.receive())
    #expect(error.code == (words.isEmpty ? .appEnded : .appSpeaksOtherwise), "\(error)")
    // The next call has a new process.
    test.send(perform(2))
    app = try bench.connectApp()
    app.send(.result(id: try app.requestID(), [:]))
    #expect(test.receive() == .result(id: 2, [:]))
    #expect(bench.strayEnds.isEmpty)
  }

  @Test func processThatEndsBetweenCallsIsTold() throws {
    let bench = try Bench(
      script: #"echo "$CARREL_INTENT_TOKEN"; while [ ! -e "$0.end" ]; do :; done"#)
    defer { bench.stop() }
    let (test, app) = try bench.answeredCall(perform(1))
    defer { app.close() }
    #expect(test.receive() == .result(id: 1, [:]))
    close(open(bench.folder.path(of: "app.end"), O_CREAT | O_WRONLY, 0o600))
    bench.loop.run { !bench.strayEnds.isEmpty }
    #expect(bench.strayEnds.first?.message.contains("while it had nothing to answer") == true)
  }

  static let endsOnRequest =
    #"echo "$CARREL_INTENT_TOKEN"; echo $$; while [ ! -e "$0.end" ]; do :; done"#

  /// Lets the process end, and waits until the kernel says so; the loop is told later.
  func endProcess(_ bench: Bench) throws {
    let number = try bench.line()
    close(open(bench.folder.path(of: "app.end"), O_CREAT | O_WRONLY, 0o600))
    var state = ""
    repeat {
      let status = readSmallFile("/proc/\(number)/stat").map { String(decoding: $0, as: UTF8.self) }
      state = status?.split(separator: ")").last.map { String($0.prefix(2)) } ?? ""
      sched_yield()
    } while state != " Z"
  }

  @Test func answerThatWasGivenBeforeTheEndCounts() throws {
    let bench = try Bench(script: Self.endsOnRequest)
    defer { bench.stop() }
    let (test, app) = try bench.answeredCall(perform(1), by: ["value": ["int": 7]])
    defer { app.close() }
    try endProcess(bench)
    #expect(test.receive() == .result(id: 1, ["value": ["int": 7]]))
    bench.loop.run { !bench.strayEnds.isEmpty }
    #expect(bench.strayEnds.map(\.code) == [.appEnded])
  }

  @Test func processThatIsDeadWhenTheSystemStopsIsTold() throws {
    let bench = try Bench(script: Self.endsOnRequest)
    let (test, app) = try bench.answeredCall(perform(1))
    defer { app.close() }
    #expect(test.receive() == .result(id: 1, [:]))
    try endProcess(bench)
    bench.stop()
    #expect(bench.strayEnds.map(\.code) == [.appEnded])
  }

  @Test func processThatWasAliveWhenTheSystemStopsIsNotTold() throws {
    let bench = try Bench()
    let (test, app) = try bench.answeredCall(perform(1))
    defer { app.close() }
    #expect(test.receive() == .result(id: 1, [:]))
    bench.stop()
    #expect(bench.strayEnds.isEmpty)
  }

  @Test func appThatSaysItIsAnotherIsRefusedAtOnce() throws {
    let bench = try Bench()
    defer { bench.stop() }
    let test = try bench.connectTest()
    test.send(perform(1))
    _ = try bench.connectApp(bundle: "com.example.Other")
    let error = try error(test.receive())
    #expect(error.code == .appNotStarted && error.message.contains("it is com.example.Other"))
  }

  /// Somebody has locked the index: the update waits, and nobody is held up.
  @Test func lockedIndexHoldsNobodyUp() throws {
    let bench = try Bench()
    defer { bench.stop() }
    var database: OpaquePointer?
    sqlite3_open(bench.folder.path(of: "index.sqlite"), &database)
    defer { sqlite3_close(database) }
    #expect(sqlite3_exec(database, "BEGIN EXCLUSIVE", nil, nil, nil) == SQLITE_OK)
    let test = try bench.connectTest()
    test.send(perform(1))
    let app = try bench.connectApp()
    let update = IndexUpdate.upsert([.init(type: "T", identifier: "1")])
    app.send(.request(id: 5, method: "index.update", parameters: update.json))
    test.send(.request(id: 2, method: "apps.list", parameters: [:]))
    #expect(test.receive() == .result(id: 2, [.string(Bench.bundle)]))
    #expect(sqlite3_exec(database, "COMMIT", nil, nil, nil) == SQLITE_OK)
    test.send(.request(id: 3, method: "index.wait", parameters: [:]))
    #expect(test.receive() == .result(id: 3, [:]))
    test.send(.request(id: 4, method: "index.dump", parameters: [:]))
    #expect(test.receive() == .result(id: 4, [update.json]))
  }

  /// Each test of a run has a system: nothing of it may stay.
  @Test func stoppedSystemsLeaveNothing() throws {
    for round in 0..<50 {
      let bench = try Bench { $0.indexDelay = 60 }
      let test = try bench.connectTest()
      if round % 10 == 0 {
        test.send(perform(1))
        let app = try bench.connectApp()
        app.send(
          .request(
            id: 5, method: "index.update",
            parameters: IndexUpdate.upsert([.init(type: "T", identifier: "1")]).json))
        while case .request? = app.receive() {}
      }
      var calls = 0
      for _ in 1...2 { bench.system?.stop { calls += 1 } }
      weak let system = bench.system
      bench.stop()
      #expect(calls == 2 && system == nil)
      #expect(openFiles(below: bench.folder.path) == [])
      #expect(access(bench.folder.path(of: "socket"), F_OK) != 0)
      test.close()
    }
  }

  @Test func appsThatShareAnIdentifierAreNone() {
    func app(_ bundle: String, _ executable: String) -> InstalledApp {
      InstalledApp(
        description: AppDescription(
          bundleIdentifier: bundle, compiler: "", intents: [], entities: [], enumerations: [],
          shortcuts: []), executable: executable)
    }
    let (apps, problems) = AppFinder.separate([app("a", "/1"), app("b", "/2"), app("a", "/3")])
    #expect(apps.map(\.bundleIdentifier) == ["b"])
    #expect(
      problems == [
        AppProblem(
          bundleIdentifier: "a",
          message: "a is the bundle identifier of several executables: /1, /3; give each of them "
            + "one of its own")
      ])
  }

  @Test func aProductThatLostItsEndIsAProblem() throws {
    let folder = try TemporaryFolder()
    let program = try #require(resolvedPath("/proc/self/exe"))
    let own = try #require(readEnd(of: program, bytes: 1 << 30)).bytes
    let description = #"{"writeCommands": {"/x/App.product/Objects.LinkFileList": {}}}"#
    try writeSmallFile(folder.path(of: "description.json"), Array(description.utf8))
    for name in ["App", "Left"] {
      let path = folder.path(of: name)
      try writeSmallFile(path, Array(own.prefix(own.count / 2)))
      chmod(path, 0o755)
    }
    let finder = AppFinder(folder: folder.path)
    #expect(!finder.asksApps)
    let found = finder.result(ends: [])
    #expect(found.apps.isEmpty)
    #expect(
      found.problems == [
        AppProblem(
          message: "\(folder.path)/App is not a whole program, so it may be an app; build it anew")
      ])
  }

  @Test func stoppingAnswersWhatWaits() throws {
    let bench = try Bench()
    let test = try bench.connectTest()
    for id in 1...3 { test.send(perform(id)) }
    _ = try bench.connectApp()
    bench.stop()
    #expect(bench.journal.count == 3)
    #expect(bench.journal.allSatisfy { $0.error?.code == .callerEnded }, "\(bench.journal)")
  }
}
