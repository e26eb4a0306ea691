import AppIntents
import Foundation

/// Makes files of all kinds in the home folder.
struct FillHome: AppIntent {
  static let title: LocalizedStringResource = "Fill Home"

  func perform() async throws -> some IntentResult {
    let home = URL(fileURLWithPath: NSHomeDirectory())
    for folder in ["kept", "gone", "replaced/inner", "moved", "closed", "Documents/ä b"] {
      let place = home.appendingPathComponent(folder)
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
      for number in 0..<3 {
        try Data("\(folder) \(number)".utf8).write(to: place.appendingPathComponent("f\(number)"))
      }
    }
    symlink("kept/f0", home.path + "/link")
    mkfifo(home.path + "/fifo", 0o600)
    chmod(home.path + "/kept/f2", 0o640)
    chmod(home.path + "/closed", 0o500)
    return .result()
  }
}

/// Makes a file of 16 MiB in the home folder.
struct FillLarge: AppIntent {
  static let title: LocalizedStringResource = "Fill Large"

  func perform() async throws -> some IntentResult {
    let file = URL(fileURLWithPath: NSHomeDirectory()).appendingPathComponent("large")
    try Data(repeating: 1, count: 16 << 20).write(to: file)
    return .result()
  }
}
