// swift-tools-version: 6.2

import PackageDescription

let carrel = Context.environment["CARREL_PACKAGE"] ?? "../../.."

let package = Package(
  name: "Declarations",
  dependencies: [.package(name: "carrel", path: carrel)],
  targets: [
    .target(name: "ShopKit", dependencies: [.product(name: "AppIntents", package: "carrel")]),
    .executableTarget(
      name: "Shop",
      dependencies: [
        "ShopKit", .product(name: "AppIntents", package: "carrel"),
        .product(name: "IntentHost", package: "carrel"),
      ]),
    .testTarget(
      name: "ShopTests",
      dependencies: ["Shop", .product(name: "AppIntentsTesting", package: "carrel")]),
  ],
  swiftLanguageModes: [.v5]
)
