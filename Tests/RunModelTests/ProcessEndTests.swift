import FoundationEssentials
import RunModel
import Testing

@Suite struct ProcessEndTests {
  @Test(
    arguments: [
      (9, "SIGKILL"), (31, "SIGSYS"), (34, "SIGRTMIN"), (36, "SIGRTMIN+2"), (64, "SIGRTMIN+30"),
      (32, "32"), (200, "200"),
    ] as [(Int32, String)])
  func signalsHaveNames(number: Int32, name: String) {
    #expect(signalName(number) == name)
    #expect("\(ProcessEnd.signaled(number))" == "signal \(name)")
  }

  @Test(arguments: [ProcessEnd.exited(0), .exited(255), .signaled(9), .unknown])
  func anEndComesBack(end: ProcessEnd) throws {
    #expect(try JSONDecoder().decode(ProcessEnd.self, from: JSONEncoder().encode(end)) == end)
  }
}
