import Comparison
import FoundationEssentials
import Glibc
import Reporting
import SystemFiles
import Workers

/// What commands share: the streams and the caller's environment.
struct CommandContext {
  var output: Terminal
  var errors: Terminal
  var environment: [String: String]
  /// The folder that relative paths start from; `nil` for the current one.
  var folder: String?

  init(
    output: Terminal = Terminal(descriptor: 1), errors: Terminal = Terminal(descriptor: 2),
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) {
    self.output = output
    self.errors = errors
    self.environment = environment
  }

  init(_ descriptors: StandardDescriptors) {
    self.init(
      output: Terminal(descriptor: 1, isClosed: descriptors.wasClosed(1)),
      errors: Terminal(descriptor: 2, isClosed: descriptors.wasClosed(2)))
  }

  /// Lets no reader of what is printed hold up the command from now on.
  func writeInBackground() {
    guard output.queue == nil else { return }
    let queue = OutputQueue()
    output.queue = queue
    errors.queue = queue
  }

  /// Prints a value as JSON with sorted keys, and no character that could drive a terminal.
  func printJSON(_ value: some Encodable) throws { writeJSON(try jsonText(value) + "\n") }

  /// Writes lines that are JSON, with no character that could drive a terminal.
  func writeJSON(_ text: String) {
    output.clearProgress()
    output.write(Array(terminalSafeJSON(text).utf8))
  }

  /// Prints a message of the command's on standard error.
  func complain(_ message: String) { errors.print("carrel: " + messageText(message)) }

  /// The folder for the folders of all runs, `CARREL_WORK_DIR`; `nil` for the usual one.
  func workFolder() throws(CommandError) -> String? {
    guard let path = environment["CARREL_WORK_DIR"] else { return nil }
    guard path.hasPrefix("/") else {
      throw CommandError(
        .environment,
        "CARREL_WORK_DIR needs the absolute path of a folder, not '\(path)'; unset it for /tmp")
    }
    return path
  }

  /// The folder of the package that the current folder belongs to: the nearest one upwards with a
  /// `Package.swift`, as SwiftPM looks for it; the current folder when there is none.
  func enclosingPackage() -> String {
    var folder = absolute(".")
    while access(folder + "/Package.swift", F_OK) != 0 {
      guard let slash = folder.lastIndex(of: "/"), slash != folder.startIndex else {
        return absolute(".")
      }
      folder = String(folder[..<slash])
    }
    return folder
  }

  /// A path as it is shortest from the current folder: relative if it lies inside.
  func shown(_ path: String) -> String {
    let current = absolute(".") + "/"
    return path.hasPrefix(current) ? String(path.dropFirst(current.count)) : path
  }

  /// The absolute form of a path, with the links in it as they are.
  func absoluteName(_ path: String) -> String {
    let whole = path.hasPrefix("/") ? path : "\(absolute("."))/\(path)"
    let parts = whole.split(separator: "/").filter { $0 != "." }
    // What comes before `..` may be a link to somewhere else.
    return parts.contains("..") ? absolute(path) : "/" + parts.joined(separator: "/")
  }

  /// The absolute form of a path, `.` and `..` resolved as far as it exists.
  func absolute(_ path: String) -> String {
    if let folder, !path.hasPrefix("/") {
      let path = "\(folder)/\(path)"
      return resolvedPath(path) ?? path
    }
    if let resolved = resolvedPath(path) { return resolved }
    if path.hasPrefix("/") { return path }
    var buffer = [CChar](repeating: 0, count: 4097)
    guard getcwd(&buffer, buffer.count) != nil else { return path }
    let folder = buffer.withUnsafeBufferPointer {
      $0.baseAddress.map { String(cString: $0) } ?? "."
    }
    return "\(folder)/\(path)"
  }
}
