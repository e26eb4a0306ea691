// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "Torture",
  targets: [
    .testTarget(name: "TortureTests"), .testTarget(name: "OutsideTests"),
    .testTarget(name: "ToolTests"),
  ]
)
