import AppIntents

/// What several apps share; its shortcuts are found by nobody.
public struct ReorderIntent: AppIntent {
  public static let title: LocalizedStringResource = "Reorder"
  public static let description: IntentDescription? = IntentDescription(
    "Orders the last cart again.")

  @Parameter(title: "Times", default: 1)
  public var times: Int

  public init() {}

  public func perform() async throws -> some IntentResult { .result() }
}

public struct KitShortcuts: AppShortcutsProvider {  // here: provider in a library
  public static var appShortcuts: [AppShortcut] {
    AppShortcut(
      intent: ReorderIntent(), phrases: ["Reorder with \(.applicationName)"], shortTitle: "Reorder",
      systemImageName: "cart")
  }
}
