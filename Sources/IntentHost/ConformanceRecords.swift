import AppIntents
import CImageSections
import Glibc

/// The types in this executable that conform to protocols of AppIntents, found in the records that
/// the Swift runtime itself reads for `as?`.
///
/// Their witnesses are taken from there too: `as?` looks for each of them through the records of
/// all libraries, which takes longer than all else that an app does before its first answer. The
/// layout is part of Swift's ABI (docs/ABI/TypeMetadata.rst of the Swift project); docs/decisions
/// says why the records are read here.
struct ConformanceRecords {
  private static let names = ["AppIntent", "AppEntity", "AppEnum", "AppShortcutsProvider"]

  private let found: [carrel_conformance]

  /// Reads the records of this executable.
  init() {
    var found = [carrel_conformance](repeating: carrel_conformance(), count: 256)
    let names = Self.names.map { strdup($0) }
    defer { for name in names { free(name) } }
    let pointers = names.map { UnsafePointer($0) }
    while true {
      let count = carrel_conformances("AppIntents", pointers, pointers.count, &found, found.count)
      if count <= found.count {
        self.found = Array(found.prefix(count))
        return
      }
      found = [carrel_conformance](repeating: carrel_conformance(), count: count)
    }
  }

  var intents: [any AppIntent.Type] { types(of: 0, as: (any AppIntent.Type).self) }
  var entities: [any AppEntity.Type] { types(of: 1, as: (any AppEntity.Type).self) }
  var enumerations: [any AppEnum.Type] { types(of: 2, as: (any AppEnum.Type).self) }
  var shortcutsProviders: [any AppShortcutsProvider.Type] {
    types(of: 3, as: (any AppShortcutsProvider.Type).self)
  }

  /// - Parameter metatype: The existential metatype of the protocol.
  private func types<Metatype>(of index: Int, as metatype: Metatype.Type) -> [Metatype] {
    // A type and its witnesses are such a metatype.
    precondition(MemoryLayout<Metatype>.size == 2 * MemoryLayout<UnsafeRawPointer>.size)
    return found.filter { $0.protocol == index }.map {
      withUnsafePointer(to: ($0.type, $0.witnesses)) {
        UnsafeRawPointer($0).loadUnaligned(as: metatype)
      }
    }
  }
}
