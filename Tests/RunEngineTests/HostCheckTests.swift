import Glibc
import IntentWire
import RunModel
import Testing

@testable import RunEngine

@Suite struct HostCheckTests {
  @Test func everyAppThatFailedIsNamed() throws {
    #expect(HostCheck.fault(of: []) == nil)
    let killed = "the process of com.example.A ended with \(ProcessEnd.signaled(SIGKILL))"
    let aborted = "the process of com.example.B ended with \(ProcessEnd.signaled(SIGABRT))"
    let fault = try #require(
      HostCheck.fault(of: [
        WireError(.appEnded, killed, log: "of A"), WireError(.appEnded, aborted, log: "of B"),
      ]))
    #expect(fault.message == "\(aborted)\n\(killed)")
    #expect(fault.log == "of B")
  }
}
