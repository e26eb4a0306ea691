import Evidence
import Glibc
import SwiftTests
import SystemFiles
import Testing

@testable import RunEngine

/// What of a toolchain a run archive gets.
@Suite struct ArchiveMakerTests {
  /// The folder with the libraries of the toolchain on `PATH`.
  private static let runtimeFolder: String? = {
    let path = getenv("PATH").map { String(cString: $0) } ?? ""
    let programs = path.split(separator: ":").lazy.compactMap { existingPath("\($0)/swift-build") }
    guard let program = programs.first else { return nil }
    let folder = "\(folder(of: folder(of: program)))/lib/swift/linux"
    return existingPath("\(folder)/libswiftCore.so") == nil ? nil : folder
  }()

  /// A program that writes crash reports is of no use without the libraries that it loads.
  @Test(.enabled(if: runtimeFolder != nil, "there is no toolchain on PATH"))
  func theProgramForCrashReportsFindsItsLibraries() throws {
    let runtime = try #require(Self.runtimeFolder)
    let items = ArchiveMaker.runtime(of: [], runtimeFolder: runtime)
    let packed = Set(items.map(\.path))
    let program = try #require(
      items.first { $0.path == "runtime/libexec/swift/linux/swift-backtrace" })
    var queue = [program.source]
    var seen = Set(queue)
    while let file = queue.popLast() {
      for name in try #require(ELFDynamic(of: file)).needed
      where access("\(runtime)/\(name)", F_OK) == 0 {
        #expect(packed.contains("runtime/lib/swift/linux/\(name)"))
        if seen.insert("\(runtime)/\(name)").inserted { queue.append("\(runtime)/\(name)") }
      }
    }
    #expect(seen.count > 1)
  }
}
