// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "ManySmall",
  targets: [.testTarget(name: "ManySmallTests")]
)
