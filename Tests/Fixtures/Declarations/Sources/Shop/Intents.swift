import AppIntents

struct BuyIntent: AppIntent {
  static var title: LocalizedStringResource = "Buy"
  static var description = IntentDescription("Puts something into the cart.", categoryName: "Cart")

  @Parameter(title: "Item")
  var item: Item  // here: entity that is not searched for

  @Parameter(title: "Size", default: .small)
  var size: Size

  @Parameter(title: "Note")
  var note: String?  // here: not in the summary

  static var parameterSummary: some ParameterSummary {
    Summary("Buy \(\.$item)") { \.$size }
  }

  func perform() async throws -> some IntentResult & ReturnsValue<Item> & ProvidesDialog {
    .result(value: item, dialog: "Bought")
  }
}

struct SeedShopIntent: AppIntent {  // here: for tests
  static var title: LocalizedStringResource = "Seed"
  static var isDiscoverable: Bool = false

  func perform() async throws -> some IntentResult { .result() }
}

struct NameIntent: AppIntent {
  static var title: LocalizedStringResource = LocalizedStringResource(stringLiteral: "A" + "b")  // here: no literal
  static var description = IntentDescription(
    LocalizedStringResource(stringLiteral: "Names " + "the shop."))

  func perform() async throws -> some IntentResult { .result() }
}

let hoisted: [AppShortcutPhrase<NameIntent>] = ["Name \(.applicationName)"]

struct ShopShortcuts: AppShortcutsProvider {
  static var appShortcuts: [AppShortcut] {
    AppShortcut(
      intent: BuyIntent(),
      phrases: [
        "Buy \(\.$item) in \(.applicationName)",
        "Buy something",  // here: phrase without the app
        // carrel:disable phrase-without-application-name: said to the person at the counter
        "Buy it",
      ],
      shortTitle: "Buy", systemImageName: "cart")
    AppShortcut(  // here: hoisted phrases
      intent: NameIntent(), phrases: hoisted, shortTitle: "Name", systemImageName: "tag")
  }
}
