// swift-tools-version: 6.2

import PackageDescription

let carrel = Context.environment["CARREL_PACKAGE"] ?? "../../.."

let package = Package(
  name: "IntentBench",
  dependencies: [.package(name: "carrel", path: carrel)],
  targets: [
    .executableTarget(
      name: "BenchApp",
      dependencies: [
        .product(name: "AppIntents", package: "carrel"),
        .product(name: "CoreSpotlight", package: "carrel"),
        .product(name: "IntentHost", package: "carrel"),
      ]),
    .executableTarget(name: "Empty"),
    .testTarget(
      name: "BenchTests",
      dependencies: [.product(name: "AppIntentsTesting", package: "carrel")]),
  ]
)
