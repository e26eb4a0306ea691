// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "Gate",
  targets: [.testTarget(name: "GateTests")]
)
