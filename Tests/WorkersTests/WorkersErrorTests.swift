import Glibc
import SystemFiles
import Testing
import Workers

@Suite struct WorkersErrorTests {
  @Test func adviceFitsTheCause() {
    let full = WorkersError(
      .container, "cannot make a container", cause: SystemFailure(ENOSPC), advice: "free some")
    #expect("\(full)".hasSuffix("; free some"))
    for number in [EMFILE, ENFILE] {
      let error = WorkersError(
        .container, "cannot make a container", cause: SystemFailure(number), advice: "free some")
      #expect("\(error)".contains("raise the limit of open files"), "\(error)")
      #expect(!"\(error)".contains("free some"))
    }
  }
}
