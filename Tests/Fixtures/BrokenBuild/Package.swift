// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "BrokenBuild",
  targets: [.testTarget(name: "BrokenTests")]
)
