// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "Notes",
  dependencies: [
    // Where App Intents come from on Linux.
    .package(name: "carrel", path: "../..")
  ],
  targets: [
    .target(name: "Notes"),
    .executableTarget(
      name: "NotesApp",
      dependencies: [
        "Notes",
        .product(name: "AppIntents", package: "carrel"),
        .product(name: "CoreSpotlight", package: "carrel"),
        .product(name: "IntentHost", package: "carrel"),
      ]),
    .testTarget(name: "NotesTests", dependencies: ["Notes"]),
    .testTarget(
      name: "NotesIntentTests",
      dependencies: ["NotesApp", .product(name: "AppIntentsTesting", package: "carrel")]),
  ]
)
