import IntentMetadata
import IntentWire
import TestSupport
import Testing

/// Whatever the compiler and builds write: metadata of the right shape, or an error.
@Suite struct RandomSourcesTests {
  /// Makes what the compiler may write of types, also what no source would give.
  private struct Compiler {
    var generator: SeededGenerator

    mutating func pick<Element>(_ list: [Element]) -> Element {
      list[Int.random(in: 0..<list.count, using: &generator)]
    }

    mutating func some(_ most: Int, _ make: (inout Compiler) -> WireJSON) -> WireJSON {
      .array((0..<Int.random(in: 0...most, using: &generator)).map { _ in make(&self) })
    }

    mutating func value(_ depth: Int = 0) -> [WireJSON.Member] {
      let kinds = [
        "RawLiteral", "NilLiteral", "InitCall", "InterpolatedStringLiteral", "Array", "Tuple",
        "Dictionary", "Enum", "KeyPath", "Builder", "Runtime", "FunctionCall",
      ]
      let kind = depth > 3 ? "RawLiteral" : pick(kinds)
      let json: WireJSON
      switch kind {
      case "RawLiteral":
        json = .string(pick(["a", "true", "12", "1_000", "-3", "0x1F", "2.5", "", "é"]))
      case "InitCall":
        json = [
          "type": .string(pick(["", "AppIntents.AppShortcut", "AppIntents.IntentDescription"])),
          "arguments": some(4) { compiler in
            let label = compiler.pick([
              "", "title", "intent", "phrases", "shortTitle", "default", "inclusiveRange",
              "systemImageName", "categoryName",
            ])
            return .object(
              [
                .init("label", .string(label)),
                .init("type", .string(compiler.pick(Self.types))),
              ] + compiler.value(depth + 1))
          },
        ]
      case "InterpolatedStringLiteral":
        json = ["segments": some(3) { .object($0.value(depth + 1)) }]
      case "Array", "Tuple": json = some(3) { .object($0.value(depth + 1)) }
      case "Dictionary":
        json = some(3) { compiler in
          [
            "key": .object(compiler.value(depth + 1)), "value": .object(compiler.value(depth + 1)),
          ]
        }
      case "Enum": json = ["name": .string(pick(["red", "blue"]))]
      case "KeyPath": json = ["path": .string(pick(["$a", "$b", "c", ""]))]
      case "Builder":
        json = [
          "members": some(3) { compiler in
            ["kind": "buildExpression", "element": .object(compiler.value(depth + 1))]
          }
        ]
      default: json = nil
      }
      return [.init("valueKind", .string(kind)), .init("value", json)]
    }

    static let types = [
      "Swift.String", "Swift.Optional<Swift.Int>", "Swift.Array<M.T1>", "M.T0", "M.T2",
      "Swift.Array<Swift.Optional<Swift.Array<Foundation.URL>>>", "Swift.Dictionary<A, B>", "<", "",
      "Swift.Optional<", "AppIntents.IntentFile", "Foundation.Measurement<Foundation.UnitLength>",
    ]

    mutating func property() -> WireJSON {
      let labels = [
        "title", "description", "isDiscoverable", "openAppWhenRun", "parameterSummary",
        "appShortcuts", "typeDisplayRepresentation", "caseDisplayRepresentations", "defaultQuery",
        "persistentIdentifier", "supportedModes", "authenticationPolicy", "_a", "_b", "_c",
      ]
      let wrapper = pick(["AppIntents.IntentParameter", "AppIntents.EntityProperty", "Swift.Array"])
      let label = pick(labels)
      return .object(
        [
          .init("label", .string(label)),
          .init("type", .string("\(wrapper)<\(pick(Self.types))>")),
          .init("isStatic", label.hasPrefix("_") ? "false" : "true"),
          .init("line", .int(Int64.random(in: 1...99, using: &generator))),
        ] + value())
    }

    mutating func type(_ number: Int) -> WireJSON {
      let protocols = [
        "AppIntent", "AppEntity", "AppEnum", "EntityQuery", "EntityStringQuery", "OpenIntent",
        "AppShortcutsProvider", "IndexedEntity", "TransientAppEntity", "EntityPropertyQuery",
      ]
      return [
        "typeName": .string("M.T\(number)"), "mangledTypeName": "1M", "file": "/p/S.swift",
        "line": .int(Int64(number)),
        "conformances": some(3) { .string("AppIntents.\($0.pick(protocols))") },
        "associatedTypeAliases": some(2) { compiler in
          [
            "typeAliasName": .string(compiler.pick(["Entity", "DefaultQuery", "PerformResult"])),
            "substitutedTypeName": .string(compiler.pick(Self.types)),
            "opaqueTypeProtocolRequirements": ["AppIntents.ReturnsValue"],
            "opaqueTypeSameTypeRequirements": [
              [
                "typeAliasName": "AppIntents.IntentResult.Value",
                "substitutedTypeName": .string(compiler.pick(Self.types)),
              ]
            ],
          ]
        },
        // No type has two members of one name.
        "properties": .array(
          Dictionary(
            (some(8) { $0.property() }.array ?? []).map { ($0["label"]?.string ?? "", $0) },
            uniquingKeysWith: { first, _ in first }
          ).sorted { $0.key < $1.key }.map(\.value)),
        "cases": some(3) { compiler in
          ["name": .string(compiler.pick(["red", "blue"])), "rawValue": "r"]
        },
        "availabilityAttributes": some(1) { _ in ["platform": "iOS", "introducedVersion": "16.0"] },
      ]
    }
  }

  @Test func whatIsMadeHasTheShapesOfTheFormat() throws {
    var made = 0
    for seed in 0..<400 {
      var compiler = Compiler(generator: SeededGenerator(seed: UInt64(seed)))
      let json = WireJSON.array((0..<4).map { compiler.type($0) })
      let types = try ConstType.list(reading: json.bytes)
      var declared = MetadataMaker.declared(
        by: [MetadataMaker.Module(name: "M", isApp: true, types: types)], version: "1.0.0",
        folder: "/p")
      let read = try AppMetadata(reading: declared.metadata.json.bytes)
      #expect(read.json == declared.metadata.json && read.unknownKeys == [:], "seed \(seed)")
      made += read.intents.count + read.entities.count + read.shortcuts.count
      declared.readSources { _ in Array("static var appShortcuts { AppShortcut( }".utf8) }
      let findings = MetadataCheck.findings(in: declared).findings
      #expect(findings.allSatisfy { !$0.message.isEmpty })
      #expect(MetadataComparison.changes(from: read, to: read) == [], "seed \(seed)")
    }
    #expect(made > 200)
  }

  /// Bytes that are damaged in some places.
  private func damaged(_ bytes: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<Int.random(in: 1...4, using: &generator) where !bytes.isEmpty {
      let place = Int.random(in: 0..<bytes.count, using: &generator)
      switch Int.random(in: 0..<4, using: &generator) {
      case 0: bytes[place] = UInt8.random(in: 0...255, using: &generator)
      case 1: bytes.removeSubrange(place..<min(place + 8, bytes.count))
      case 2: bytes.insert(contentsOf: Array("[{\"a\":".utf8), at: place)
      default: bytes.removeLast(bytes.count - place)
      }
    }
    return bytes
  }

  @Test func damagedValuesOfTheCompiler() {
    var generator = SeededGenerator(seed: 26)
    var compiler = Compiler(generator: generator)
    var refused = 0
    for _ in 0..<1000 {
      let bytes = damaged(WireJSON.array([compiler.type(0), compiler.type(1)]).bytes, &generator)
      do throws(MetadataError) {
        let types = try ConstType.list(reading: bytes)
        _ = MetadataMaker.declared(
          by: [MetadataMaker.Module(name: "M", isApp: true, types: types)], version: "1",
          folder: "")
      } catch {
        refused += 1
        #expect(!error.message.isEmpty)
      }
    }
    #expect(refused > 100)
  }

  @Test(arguments: [Samples.current, Samples.early])
  func damagedMetadata(_ sample: String) {
    var generator = SeededGenerator(seed: 27)
    var refused = 0
    for _ in 0..<1000 {
      do throws(MetadataError) {
        let metadata = try AppMetadata(reading: damaged(Array(sample.utf8), &generator))
        _ = MetadataPage.render(metadata, title: "x", facts: [], style: .text)
        _ = MetadataCheck.findings(in: DeclaredMetadata(metadata))
        #expect(try AppMetadata(reading: metadata.json.bytes) == metadata)
      } catch {
        refused += 1
        #expect(!error.message.isEmpty)
      }
    }
    #expect(refused > 100)
  }
}
