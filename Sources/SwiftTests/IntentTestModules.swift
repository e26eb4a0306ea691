import Glibc
package import RunModel
import SystemFiles

/// The test modules of a product that call apps through the intent system.
///
/// Told by the object files of the build: a module calls apps when its code refers to
/// AppIntentsTesting, or to another module that does. Names begin with the module they are from
/// (docs/ABI/Mangling.rst of the Swift project).
package enum IntentTestModules: Sendable, Equatable {
  /// The product has nothing of AppIntentsTesting in it.
  case none
  /// These and no others.
  case some(Set<String>)
  /// The build's object files are not where SwiftPM's own build system puts them, so it can be any.
  case any

  private static let library = "AppIntentsTesting"
  /// The section that the library brings along.
  private static let mark = "carrel_intent_test"

  /// Looks at a product and, when it has the library in it, at the objects beside it.
  package init(of product: TestProduct) {
    guard Self.hasMark(product.executable) else {
      self = .none
      return
    }
    let folder = folder(of: product.executable)
    let modules = (folderEntries(folder) ?? []).filter { $0.hasSuffix(".build") }.map {
      String($0.dropLast(".build".utf8.count))
    }
    var references: [String: Set<String>] = [:]
    for module in modules {
      references[module] = Self.references(inObjectsOf: "\(folder)/\(module).build")
    }
    self = references[Self.library] == nil ? .any : .some(Self.users(of: references))
  }

  /// Whether a test calls apps, or may.
  package func contains(_ test: TestID) -> Bool {
    switch self {
    case .none: false
    case .some(let modules): modules.contains(String(test.name.prefix { $0 != "." }))
    case .any: true
    }
  }

  /// The library's code is in the executable or, with another build system, in a library beside it.
  private static func hasMark(_ executable: String) -> Bool {
    if hasSection(mark, inExecutable: executable) { return true }
    let suffix = "-test-runner"
    return executable.hasSuffix(suffix)
      && hasSection(mark, inExecutable: executable.dropLast(suffix.count) + ".so")
  }

  /// The modules that refer to the library, be it through others.
  static func users(of references: [String: Set<String>]) -> Set<String> {
    var users: Set<String> = []
    var new: Set<String> = [library]
    while !new.isEmpty {
      users.formUnion(new)
      new = Set(
        references.filter { !users.contains($0.key) && !$0.value.isDisjoint(with: users) }.keys)
    }
    return users.subtracting([library])
  }

  private static func references(inObjectsOf folder: String) -> Set<String> {
    var found: Set<String> = []
    for name in folderEntries(folder) ?? [] {
      let path = "\(folder)/\(name)"
      var info = stat()
      guard lstat(path, &info) == 0 else { continue }
      if info.isFolder {
        found.formUnion(references(inObjectsOf: path))
      } else if name.hasSuffix(".o"), let bytes = try? readFile(path, maxBytes: 1 << 30) {
        bytes.withUnsafeBytes { collectModules(in: $0, into: &found) }
      }
    }
    return found
  }

  /// Adds the names that follow `$s` and their length.
  static func collectModules(in bytes: UnsafeRawBufferPointer, into found: inout Set<String>) {
    guard let base = bytes.baseAddress else { return }
    var position = 0
    while position < bytes.count,
      let hit = memchr(base + position, Int32(UInt8(ascii: "$")), bytes.count - position)
    {
      position = (UnsafeRawPointer(hit) - base) + 1
      guard position < bytes.count, bytes[position] == UInt8(ascii: "s") else { continue }
      var index = position + 1
      var length = 0
      while index < bytes.count, length < 1000, (0x30...0x39).contains(bytes[index]) {
        length = length * 10 + Int(bytes[index] - 0x30)
        index += 1
      }
      guard length > 0, length < 1000, index + length <= bytes.count else { continue }
      found.insert(String(decoding: bytes[index..<index + length], as: UTF8.self))
      position = index
    }
  }
}
