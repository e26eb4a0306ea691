import RunModel
import Testing

@testable import SwiftTests

@Suite struct CrashSummaryTests {
  private func summary(_ frames: (function: String, file: String, line: Int)...) -> CrashSummary {
    let list = frames.map { frame in
      """
      {"description": "\(frame.function) + 12",
       "sourceLocation": {"file": "\(frame.file)", "line": \(frame.line), "column": 5}}
      """
    }
    let report = """
      {"description": "Illegal instruction", "threads": [
        {"frames": [{"description": "other", "sourceLocation": {"file": "/p/O.swift", "line": 1}}]},
        {"crashed": true, "frames": [\(list.joined(separator: ","))]}
      ]}
      """
    return CrashSummary(ofReport: Array(report.utf8), package: "/p")
  }

  @Test func innermostFunctionOfThePackageIsNamed() {
    let found = summary(
      ("helper()", "/elsewhere/H.swift", 2), ("test()", "/p/Tests/T.swift", 7),
      ("main", "/p/main.swift", 1))
    #expect(found.description == "Illegal instruction")
    #expect(found.function == "test()")
    #expect(found.location?.file == "/p/Tests/T.swift" && found.location?.line == 7)
  }

  /// A package that was moved after it was built.
  @Test func innermostFunctionWithAPlaceIsNamedOtherwise() {
    let found = summary(("start", "//<compiler-generated>", 0), ("test()", "/old/T.swift", 7))
    #expect(found.function == "test()")
    #expect(found.location?.file == "/old/T.swift")
  }

  /// What a macro has written is now in the package's folder and now in another one.
  @Test(arguments: ["/p", "/tmp/swift-generated-sources", "/p/.build/debug"])
  func macrosAreNoPlaceOfThePackage(folder: String) {
    let found = summary(
      ("macro expansion", "\(folder)/@__swiftmacro_1M0021Tswift_4_6expectfMf_.swift", 1),
      ("test()", "/p/Tests/T.swift", 7), ("thunk", "\(folder)/@__swiftmacro_1MfMp_.swift", 5))
    #expect(found.function == "test()")
    #expect(found.location?.line == 7)
    let only = summary(("thunk", "\(folder)/@__swiftmacro_1MfMp_.swift", 5))
    #expect(only.function == "thunk")
  }

  @Test func brokenReportSaysNothing() {
    let found = CrashSummary(ofReport: Array("{".utf8), package: "/p")
    #expect(found.description == nil && found.function == nil && found.location == nil)
  }
}
