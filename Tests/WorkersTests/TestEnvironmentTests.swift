import Testing
import Workers

@Suite struct TestEnvironmentTests {
  static let caller = [
    "PATH": "/bin", "USER": "me", "HOME": "/home/me", "GIT_DIR": "/r/.git",
    "GIT_INDEX_FILE": "/r/i",
    "AWS_SECRET_ACCESS_KEY": "s", "LD_PRELOAD": "x.so", "LD_LIBRARY_PATH": "/opt", "CI": "true",
    "DB_URL": "u", "DB_USER": "v", "LC_ALL": "de_DE", "TZ": "Asia/Tokyo", "TMPDIR": "/var/tmp",
  ]

  func variables(_ additional: [String]) -> [String: String] {
    TestEnvironment(caller: Self.caller, additional: additional).variables(
      container: Container(root: "/tmp/c"), run: "r", worker: 2, workers: 4, batch: 7)
  }

  @Test func onlyTheListedVariablesPass() {
    let variables = variables([])
    #expect(variables["PATH"] == "/bin")
    #expect(variables["CI"] == "true")
    for name in [
      "GIT_DIR", "GIT_INDEX_FILE", "AWS_SECRET_ACCESS_KEY", "LD_PRELOAD", "LD_LIBRARY_PATH",
      "DB_URL", "LC_ALL",
    ] {
      #expect(variables[name] == nil, "\(name)")
    }
  }

  @Test func homeAndTemporaryFolderAreTheContainers() {
    let variables = variables(["HOME", "TMPDIR"])
    #expect(variables["HOME"] == "/tmp/c/home")
    #expect(variables["CFFIXED_USER_HOME"] == "/tmp/c/home")
    #expect(variables["TMPDIR"] == "/tmp/c/tmp")
    #expect(variables["TZ"] == "UTC")
    #expect(variables["CARREL_WORKER"] == "2" && variables["CARREL_WORKERS"] == "4")
  }

  @Test func namedVariablesPassAlsoByTheirBeginning() {
    let environment = TestEnvironment(caller: Self.caller, additional: ["DB_*", "TZ", "ABSENT"])
    #expect(environment.passed == ["CI", "DB_URL", "DB_USER", "PATH", "TZ", "USER"])
    #expect(variables(["DB_*"])["DB_USER"] == "v")
    #expect(variables(["TZ"])["TZ"] == "Asia/Tokyo")
  }
}
