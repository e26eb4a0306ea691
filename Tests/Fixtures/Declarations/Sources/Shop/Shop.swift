import AppIntents
import IntentHost
import ShopKit

@main
struct Shop: HostedApp {
  static let bundleIdentifier = "org.example.shop"
}

enum Size: String, AppEnum {
  case small, large

  static var typeDisplayRepresentation: TypeDisplayRepresentation = "Size"
  static var caseDisplayRepresentations: [Size: DisplayRepresentation] = [
    .small: "Small", .large: "Large",
  ]
}

struct Item: AppEntity {
  static var typeDisplayRepresentation = TypeDisplayRepresentation(name: "Item")
  static var defaultQuery = ItemQuery()

  var id: String
  @Property(title: "Price")
  var price: Double

  var displayRepresentation: DisplayRepresentation { DisplayRepresentation(title: "\(id)") }
}

struct ItemQuery: EntityQuery {
  func entities(for identifiers: [String]) async throws -> [Item] { [] }
}
