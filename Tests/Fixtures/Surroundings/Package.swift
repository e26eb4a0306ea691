// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "Surroundings",
  targets: [.testTarget(name: "SurroundingsTests")]
)
