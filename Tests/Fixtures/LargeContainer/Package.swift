// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "LargeContainer",
  targets: [.testTarget(name: "LargeContainerTests")]
)
