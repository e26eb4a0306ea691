// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "Teardown",
  targets: [.testTarget(name: "TeardownTests")]
)
