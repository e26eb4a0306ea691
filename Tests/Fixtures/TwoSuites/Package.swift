// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "TwoSuites",
  targets: [.testTarget(name: "FirstTests"), .testTarget(name: "SecondTests")]
)
