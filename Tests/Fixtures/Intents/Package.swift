// swift-tools-version: 6.2

import PackageDescription

/// Hosts that do not keep to the protocol, each an executable of its own.
let badHosts = [
  "Silent", "OtherVersion", "Garbage", "HalfMessage", "TooLong", "WrongAnswer", "EndsEarly",
]
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
    .target(name: "BadHost"),
    .testTarget(
      name: "IntentsTests",
      dependencies: [
        "TestApp", .product(name: "AppIntentsTesting", package: "carrel"),
      ] + badHosts.map { .target(name: $0) }),
  ] + badHosts.map { .executableTarget(name: $0, dependencies: ["BadHost"]) }
)
