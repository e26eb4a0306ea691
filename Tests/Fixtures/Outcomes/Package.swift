// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "Outcomes",
  targets: [.testTarget(name: "OutcomesTests")]
)
