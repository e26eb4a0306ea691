// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "Notes",
  targets: [
    .target(name: "Notes"),
    .testTarget(name: "NotesTests", dependencies: ["Notes"]),
  ]
)
