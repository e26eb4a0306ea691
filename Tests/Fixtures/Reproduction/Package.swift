// swift-tools-version: 6.2

import PackageDescription

let carrel = Context.environment["CARREL_PACKAGE"] ?? "../../.."

let package = Package(
  name: "Reproduction",
  dependencies: [.package(name: "carrel", path: carrel)],
  targets: [
    .executableTarget(
      name: "Shelf",
      dependencies: [
        .product(name: "AppIntents", package: "carrel"),
        .product(name: "CoreSpotlight", package: "carrel"),
        .product(name: "IntentHost", package: "carrel"),
      ],
      swiftSettings: [.swiftLanguageMode(.v5)]),
    .testTarget(name: "FailingTests"),
    .testTarget(
      name: "ShelfTests",
      dependencies: ["Shelf", .product(name: "AppIntentsTesting", package: "carrel")]),
  ]
)
