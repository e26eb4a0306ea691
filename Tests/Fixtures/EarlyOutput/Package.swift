// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "EarlyOutput",
  targets: [.testTarget(name: "EarlyTests")]
)
