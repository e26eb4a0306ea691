// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "ListingCrash",
  targets: [.testTarget(name: "ListingCrashTests")]
)
