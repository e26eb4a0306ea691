// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "carrel",
  products: [
    .executable(name: "carrel", targets: ["carrel"]),
    .library(name: "AppIntents", targets: ["AppIntents"]),
    .library(name: "AppIntentsTesting", targets: ["AppIntentsTesting"]),
    .library(name: "CoreSpotlight", targets: ["CoreSpotlight"]),
    .library(name: "IntentHost", targets: ["IntentHost"]),
  ],
  targets: [
    // C modules.
    .target(name: "CSystem", cSettings: [.define("_GNU_SOURCE")]),
    .systemLibrary(
      name: "CArchive", pkgConfig: "libarchive", providers: [.apt(["libarchive-dev"])]),
    .systemLibrary(name: "CNettle", pkgConfig: "nettle", providers: [.apt(["nettle-dev"])]),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),

    // Values that every module shares; no side effects.
    .target(name: "RunModel"),
    .target(name: "Orchestration", dependencies: ["RunModel"]),
    .target(name: "Reporting", dependencies: ["RunModel"]),
    .target(name: "Comparison", dependencies: ["IntentWire", "Reporting", "RunModel"]),

    // Side effects.
    .target(name: "SystemFiles", dependencies: ["CSystem"]),
    .target(name: "Workers", dependencies: ["CSystem", "RunModel", "SystemFiles"]),
    .target(name: "SearchIndex", dependencies: ["CSQLite", "IntentWire"]),
    .target(
      name: "SwiftTests", dependencies: ["RunModel", "SystemFiles", "Workers"],
      resources: [
        .embedInCode("Observer/children.c.in"), .embedInCode("Observer/classes.c.in"),
        .embedInCode("Observer/homes.c.in"), .embedInCode("Observer/interpose.c.in"),
        .embedInCode("Observer/locks.c.in"), .embedInCode("Observer/moved.c.in"),
        .embedInCode("Observer/output.c.in"),
        .embedInCode("Observer/warm.c.in"), .embedInCode("Observer/refusals.c.in"),
        .embedInCode("Observer/start.h.in"), .embedInCode("Observer/Observer.swift.in"),
      ]),
    .target(name: "CScanner"),
    .target(
      name: "Evidence",
      dependencies: ["CArchive", "CNettle", "CScanner", "RunModel", "SystemFiles"]),

    // App Intents.
    .target(name: "IntentWire"),
    .target(name: "IntentMetadata", dependencies: ["IntentWire"]),
    .target(
      name: "MetadataFiles",
      dependencies: ["CArchive", "IntentMetadata", "IntentWire", "SystemFiles"]),
    .target(name: "CImageSections"),
    .target(name: "CTestMark"),
    .target(name: "CoreSpotlight", dependencies: ["IntentWire"]),
    .target(name: "AppIntentsTypeSupport"),
    .target(
      name: "AppIntents", dependencies: ["AppIntentsTypeSupport", "CoreSpotlight", "IntentWire"]),
    .target(
      name: "IntentHost",
      dependencies: ["AppIntents", "CImageSections", "CoreSpotlight", "IntentWire"]),

    .target(
      name: "IntentSystem",
      dependencies: ["CSystem", "IntentWire", "RunModel", "SearchIndex", "SystemFiles", "Workers"]),

    .target(
      name: "AppIntentsTesting",
      dependencies: [
        "AppIntentsTypeSupport", "CTestMark", "IntentSystem", "IntentWire", "RunModel",
      ]),

    // The whole.
    .target(
      name: "RunEngine",
      dependencies: [
        "Evidence", "IntentMetadata", "IntentSystem", "IntentWire", "Orchestration", "RunModel",
        "SearchIndex", "SwiftTests", "SystemFiles", "Workers",
      ]),
    .target(
      name: "CarrelCLI",
      dependencies: [
        "Comparison", "Evidence", "IntentMetadata", "IntentWire", "MetadataFiles", "Orchestration",
        "Reporting", "RunEngine", "RunModel", "SearchIndex", "SwiftTests", "SystemFiles", "Workers",
      ]),
    .executableTarget(name: "carrel", dependencies: ["CarrelCLI"]),

    .testTarget(name: "IntentWireTests", dependencies: ["IntentWire", "TestSupport"]),
    .testTarget(
      name: "IntentMetadataTests", dependencies: ["IntentMetadata", "IntentWire", "TestSupport"]),
    .testTarget(
      name: "MetadataFilesTests",
      dependencies: ["IntentMetadata", "MetadataFiles", "SystemFiles", "TestSupport"]),
    .testTarget(name: "RunModelTests", dependencies: ["RunModel"]),
    .testTarget(
      name: "OrchestrationTests", dependencies: ["Orchestration", "RunModel", "TestSupport"]),
    .testTarget(
      name: "ReportingTests", dependencies: ["Reporting", "RunModel", "TestSupport"],
      exclude: ["Snapshots"]),
    .testTarget(
      name: "ComparisonTests",
      dependencies: ["Comparison", "IntentWire", "RunModel", "TestSupport"],
      exclude: ["Snapshots"]),
    .testTarget(name: "SystemFilesTests", dependencies: ["SystemFiles", "TestSupport"]),
    .testTarget(
      name: "WorkersTests",
      dependencies: ["CSystem", "RunModel", "SystemFiles", "TestSupport", "Workers"]),
    .testTarget(
      name: "SearchIndexTests",
      dependencies: ["CSQLite", "IntentWire", "SearchIndex", "SystemFiles", "TestSupport"]),
    .testTarget(
      name: "IntentSystemTests",
      dependencies: [
        "CSQLite", "IntentSystem", "IntentWire", "RunModel", "SearchIndex", "SystemFiles",
        "TestSupport", "Workers",
      ]),
    .testTarget(
      name: "SwiftTestsTests",
      dependencies: ["RunModel", "SwiftTests", "SystemFiles", "TestSupport", "Workers"]),
    .testTarget(
      name: "EvidenceTests",
      dependencies: ["CArchive", "Evidence", "RunModel", "SystemFiles", "TestSupport"]),
    .testTarget(
      name: "RunEngineTests",
      dependencies: [
        "Evidence", "IntentMetadata", "IntentSystem", "IntentWire", "Orchestration", "RunEngine",
        "RunModel", "SearchIndex", "SwiftTests", "SystemFiles", "TestSupport", "Workers",
      ]),
    .testTarget(
      name: "CarrelCLITests",
      dependencies: [
        "CarrelCLI", "Comparison", "Evidence", "IntentMetadata", "IntentSystem", "IntentWire",
        "Orchestration", "Reporting", "RunEngine", "RunModel", "SwiftTests", "SystemFiles",
        "TestSupport", "Workers",
      ]),
    .testTarget(
      name: "EndToEndTests",
      dependencies: ["CSQLite", "CSystem", "RunModel", "TestSupport", "Workers"],
      path: "Tests/EndToEnd"),

    // What ci/bench runs.
    .executableTarget(
      name: "index-benchmark", dependencies: ["CSQLite", "IntentWire", "SearchIndex"],
      path: "Tests/Benchmarks/IndexBenchmark"),
    .executableTarget(
      name: "teardown-benchmark", dependencies: ["RunModel", "Workers"],
      path: "Tests/Benchmarks/TeardownBenchmark"),

    .executableTarget(
      name: "clone-benchmark", dependencies: ["RunModel", "SystemFiles", "Workers"],
      path: "Tests/Benchmarks/CloneBenchmark"),

    // What several test targets share.
    .target(
      name: "TestSupport", dependencies: ["CArchive", "CSystem", "RunModel"],
      path: "Tests/TestSupport"),
  ],
  swiftLanguageModes: [.v6]
)

for target in package.targets where target.type != .system && target.name != "CSystem" {
  target.swiftSettings =
    (target.swiftSettings ?? []) + [
      .enableUpcomingFeature("ExistentialAny"),
      .enableUpcomingFeature("InternalImportsByDefault"),
      .enableUpcomingFeature("MemberImportVisibility"),
    ]
}
