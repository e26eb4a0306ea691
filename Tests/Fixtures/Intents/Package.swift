// swift-tools-version: 6.2

import PackageDescription

let carrel = Context.environment["CARREL_PACKAGE"] ?? "../../.."

let package = Package(
  name: "Intents",
  dependencies: [.package(name: "carrel", path: carrel)],
  targets: [
    .executableTarget(
      name: "TestApp",
      dependencies: [
        .product(name: "AppIntents", package: "carrel"),
        .product(name: "CoreSpotlight", package: "carrel"),
        .product(name: "IntentHost", package: "carrel"),
      ],
      swiftSettings: [.swiftLanguageMode(.v5)]),
    .testTarget(
      name: "IntentsTests",
      dependencies: ["TestApp", .product(name: "AppIntentsTesting", package: "carrel")]),
    .testTarget(
      name: "MisbehavingTests",
      dependencies: ["TestApp", .product(name: "AppIntentsTesting", package: "carrel")]),
    .testTarget(name: "PlainTests"),
  ]
)
