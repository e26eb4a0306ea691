// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "EmptyTests",
  targets: [.testTarget(name: "EmptyTests")]
)
