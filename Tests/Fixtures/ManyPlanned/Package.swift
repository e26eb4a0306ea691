// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "ManyPlanned",
  targets: [.testTarget(name: "PlannedTests")]
)
