// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "StartFailure",
  targets: [.testTarget(name: "StartFailureTests")]
)
