// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "Packed",
  dependencies: [.package(path: "Library")],
  targets: [
    .executableTarget(
      name: "greet", dependencies: [.product(name: "Greeter", package: "Library")]),
    .testTarget(
      name: "PackedTests", dependencies: ["greet", .product(name: "Greeter", package: "Library")],
      resources: [.copy("Resources")]),
  ]
)
