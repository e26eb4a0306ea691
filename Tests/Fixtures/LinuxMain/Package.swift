// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "LinuxMain",
  targets: [.testTarget(name: "FreeTextTests")]
)
