import Testing

@testable import Reporting

@Suite struct CountTests {
  @Test func nounsHaveTheirPlural() {
    #expect(counted(1, "process") == "1 process")
    #expect(counted(50, "process") == "50 processes")
    #expect(counted(0, "test") == "0 tests")
  }
}
