// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "Notes",
  products: [.library(name: "Notes", targets: ["Notes"])],
  targets: [
    .target(name: "Notes"),
    .testTarget(name: "NotesTests", dependencies: ["Notes"]),
  ]
)
