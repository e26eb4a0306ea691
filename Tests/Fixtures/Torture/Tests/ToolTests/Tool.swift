import Foundation
import XCTest

/// What a command-line tool wrote and how it ended.
struct ToolOutput {
  var status: Int32
  /// Standard output and standard error, in the order in which they came.
  var text: String
}

/// Runs a tool that is looked for in PATH, with the environment of the test.
func runTool(_ tool: String, _ arguments: [String], in folder: URL) throws -> ToolOutput {
  let process = Process()
  process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
  process.arguments = [tool] + arguments
  process.currentDirectoryURL = folder
  let output = Pipe()
  process.standardOutput = output
  process.standardError = output
  try process.run()
  let bytes = output.fileHandleForReading.readDataToEndOfFile()
  process.waitUntilExit()
  return ToolOutput(
    status: process.terminationStatus, text: String(decoding: bytes, as: UTF8.self))
}

/// A new folder in the temporary one.
func makeFolder() throws -> URL {
  let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  return folder
}
