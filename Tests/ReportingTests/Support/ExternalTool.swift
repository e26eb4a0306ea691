import FoundationEssentials
import Glibc

/// A second reader of XML, where the machine has one.
enum ExternalTool {
  struct Failed: Error { var output: String }

  static let hasPython = system("python3 -c 'import xml.etree.ElementTree' 2>/dev/null") == 0

  /// The number of `testcase` elements of each document, as Python's ElementTree reads it.
  static func countTestCases(in texts: [String]) throws -> [Int] {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "carrel-junit-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for (index, text) in texts.enumerated() {
      try Data(text.utf8).write(to: folder.appending(path: "\(index).xml"))
    }
    let program = """
      import sys, xml.etree.ElementTree as E
      for i in range(int(sys.argv[2])):
          print(len(list(E.parse(f"{sys.argv[1]}/{i}.xml").getroot().iter("testcase"))))
      """
    try Data(program.utf8).write(to: folder.appending(path: "count.py"))
    let path = folder.path.replacing("'", with: "'\\''")
    guard let pipe = popen("python3 '\(path)/count.py' '\(path)' \(texts.count) 2>&1", "r") else {
      throw Failed(output: "popen")
    }
    var output = ""
    while let line = readLine(from: pipe) { output += line }
    guard pclose(pipe) == 0 else { throw Failed(output: output) }
    return output.split(separator: "\n").compactMap { Int($0) }
  }

  private static func readLine(from pipe: UnsafeMutablePointer<FILE>) -> String? {
    var buffer = [CChar](repeating: 0, count: 4096)
    guard fgets(&buffer, Int32(buffer.count), pipe) != nil else { return nil }
    return String(
      decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
