import AppIntents
import Foundation

struct Throw: AppIntent {
  static let title: LocalizedStringResource = "Throw"
  @Parameter(title: "Kind") var kind: String

  func perform() async throws -> some IntentResult {
    switch kind {
    case "case": throw StoreError.signedOut(user: "Ann")
    case "NSError":
      throw NSError(
        domain: "TestDomain", code: 17, userInfo: [NSLocalizedDescriptionKey: "Seventeen"])
    case "long":
      throw NSError(
        domain: "TestDomain", code: 18,
        userInfo: [
          NSLocalizedDescriptionKey: "Long" + String(repeating: "\u{1}", count: 1_000_000)
        ])
    case "struct": throw PlainError(number: 3)
    case "advice": throw Advised()
    default: return .result()
    }
  }
}

struct PlainError: Error {
  var number: Int
}

struct Advised: LocalizedError {
  var errorDescription: String? { "No oven." }
  var recoverySuggestion: String? { "Buy one." }
}

struct Crash: AppIntent {
  static let title: LocalizedStringResource = "Crash"

  func perform() async throws -> some IntentResult {
    if Self.isBad { fatalError("the app crashes on purpose") }
    return .result()
  }
}

struct Exit: AppIntent {
  static let title: LocalizedStringResource = "Exit"

  func perform() async throws -> some IntentResult {
    print("the app ends on purpose")
    if Self.isBad { exit(3) }
    return .result()
  }
}

struct Hang: AppIntent {
  static let title: LocalizedStringResource = "Hang"
  /// A file to make before.
  @Parameter(title: "Marker") var marker: String?

  func perform() async throws -> some IntentResult {
    if let marker { _ = FileManager.default.createFile(atPath: marker, contents: nil) }
    while Self.isBad { usleep(100_000) }
    return .result()
  }
}

/// Nobody adds what it depends on.
struct NeedsMore: AppIntent {
  static let title: LocalizedStringResource = "Needs More"
  @Dependency(key: "second") var missing: MissingService

  func perform() async throws -> some IntentResult & ReturnsValue<String> {
    .result(value: missing.name)
  }
}

final class MissingService: Sendable {
  let name = "service"
}

struct Shortcuts: AppShortcutsProvider {
  static var appShortcuts: [AppShortcut] {
    AppShortcut(
      intent: CreateNote(),
      phrases: [
        "Create a note in \(.applicationName)",
        "Create a \(\.$color) note in \(.applicationName)",
      ], shortTitle: "Create Note", systemImageName: "note.text.badge.plus")
    AppShortcut(
      intent: ShowFirst(), phrases: ["Show my first note in \(.applicationName)"],
      shortTitle: "First Note", systemImageName: "note.text")
  }
}

extension AppIntent {
  /// What the optimizer does not know.
  fileprivate static var isBad: Bool { CommandLine.argc > 0 }
}

struct Say: AppIntent {
  static let title: LocalizedStringResource = "Say"
  @Parameter(title: "Text") var text: String

  func perform() async throws -> some IntentResult {
    FileHandle.standardError.write(Data("\(text)\n".utf8))
    return .result()
  }
}

/// Answers with the number of the process, which ends a moment later.
struct EndSoon: AppIntent {
  static let title: LocalizedStringResource = "End Soon"
  @Parameter(title: "Never", default: false) var never: Bool

  func perform() async throws -> some IntentResult & ReturnsValue<Int> {
    if !never { DispatchQueue.global().asyncAfter(deadline: .now() + 0.02) { exit(4) } }
    return .result(value: Int(getpid()))
  }
}

/// Leaves a process behind that has left the app's session and environment.
struct LeaveProcess: AppIntent {
  static let title: LocalizedStringResource = "Leave Process"

  func perform() async throws -> some IntentResult {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/setsid")
    process.arguments = ["sleep", "300"]
    process.standardOutput = nil
    try process.run()
    return .result()
  }
}
