import SystemFiles

/// The object files that products were linked of, as SwiftPM lists them.
package enum LinkedObjects {
  private static let folderSuffix = ".product"
  private static let listName = "Objects.LinkFileList"

  /// Paths by the product's name.
  ///
  /// - Parameter products: The folder with what the build made.
  package static func read(in products: String) -> [String: [String]] {
    var objects: [String: [String]] = [:]
    for entry in folderEntries(products) ?? [] where entry.hasSuffix(folderSuffix) {
      guard let bytes = readSmallFile("\(products)/\(entry)/\(listName)") else { continue }
      objects[String(entry.dropLast(folderSuffix.count))] = paths(bytes)
    }
    return objects
  }

  /// The source files of a module, as SwiftPM's own build system lists them for the compiler; none
  /// when another one has built it.
  ///
  /// - Parameter products: The folder with what the build made.
  package static func sources(ofModule module: String, in products: String) -> [String] {
    readSmallFile("\(products)/\(module).build/sources").map { paths($0) } ?? []
  }

  /// One path a line; quoted as for a shell where it has special characters.
  static func paths(_ bytes: [UInt8]) -> [String] {
    bytes.split(separator: UInt8(ascii: "\n")).map { line in
      var path: [UInt8] = []
      var isQuoted = false
      var isEscaped = false
      for byte in line {
        if isEscaped {
          path.append(byte)
          isEscaped = false
        } else if byte == UInt8(ascii: "'") {
          isQuoted.toggle()
        } else if byte == UInt8(ascii: "\\"), !isQuoted {
          isEscaped = true
        } else {
          path.append(byte)
        }
      }
      return String(decoding: path, as: UTF8.self)
    }
  }
}
