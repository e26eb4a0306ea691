// swift-tools-version: 6.2

import PackageDescription

/// Hosts that do not keep to the protocol, each an executable of its own.
let hosts = [
  "Silent", "OtherVersion", "Garbage", "HalfMessage", "TooLong", "WrongAnswer", "EndsEarly",
  "Good", "Twin1", "Twin2",
]
let carrel = Context.environment["CARREL_PACKAGE"] ?? "../../.."

let package = Package(
  name: "BadHosts",
  dependencies: [.package(name: "carrel", path: carrel)],
  targets: [
    .target(name: "BadHost"),
    .testTarget(
      name: "BadHostsTests",
      dependencies: [.product(name: "AppIntentsTesting", package: "carrel")]
        + hosts.map { .target(name: $0) }),
  ] + hosts.map { .executableTarget(name: $0, dependencies: ["BadHost"]) }
)
