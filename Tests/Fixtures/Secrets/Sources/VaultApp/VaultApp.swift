import AppIntents
import CoreSpotlight
import Foundation
import IntentHost

@main struct VaultApp: HostedApp {
  static let bundleIdentifier = "com.example.Vault"

  init() {}
}

/// Prints what it is given, and puts it into the index.
struct Keep: AppIntent {
  static let title: LocalizedStringResource = "Keep"
  @Parameter(title: "Password") var password: String
  @Parameter(title: "Notes") var notes: [String]

  func perform() async throws -> some IntentResult & ReturnsValue<String> {
    let text = (notes + ["password: \(password)"]).joined(separator: "\n")
    FileHandle.standardError.write(Data(text.utf8))
    let items = notes.enumerated().map { number, note in
      let attributes = CSSearchableItemAttributeSet()
      attributes.title = "note \(number)"
      attributes.textContent = note
      return CSSearchableItem(
        uniqueIdentifier: "\(number)", domainIdentifier: nil, attributeSet: attributes)
    }
    try await CSSearchableIndex.default().indexSearchableItems(items)
    return .result(value: "password=\(password)")
  }
}
