// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "Library",
  products: [.library(name: "Greeter", type: .dynamic, targets: ["Greeter"])],
  targets: [.target(name: "Greeter")]
)
