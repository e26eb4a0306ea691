// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "NoTests",
  targets: [.target(name: "Plain")]
)
