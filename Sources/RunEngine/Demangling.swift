import Glibc

/// `swift_demangle` of the Swift runtime (Demangle.h of the Swift project).
@_silgen_name("swift_demangle")
private func swiftDemangle(
  _ name: UnsafePointer<CChar>?, _ length: Int, _ buffer: UnsafeMutablePointer<CChar>?,
  _ bufferSize: UnsafeMutablePointer<Int>?, _ flags: UInt32
) -> UnsafeMutablePointer<CChar>?

/// A text with the mangled Swift symbols in it as people write them.
func demangled(_ text: [UInt8]) -> [UInt8] {
  var result: [UInt8] = []
  result.reserveCapacity(text.count)
  var rest = text[...]
  while let start = rest.firstIndex(of: UInt8(ascii: "$")) {
    result += rest[..<start]
    rest = rest[start...]
    let symbol = rest.prefix { byte in
      switch byte {
      case UInt8(ascii: "$"), UInt8(ascii: "_"), UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"):
        true
      default: false
      }
    }
    rest = rest.dropFirst(symbol.count)
    result += demangledSymbol(symbol) ?? Array(symbol)
  }
  return result + rest
}

private func demangledSymbol(_ symbol: ArraySlice<UInt8>) -> [UInt8]? {
  guard symbol.starts(with: Array("$s".utf8)) || symbol.starts(with: Array("$S".utf8)) else {
    return nil
  }
  let name = symbol.map { CChar(bitPattern: $0) }
  guard
    let text = name.withUnsafeBufferPointer({ swiftDemangle($0.baseAddress, $0.count, nil, nil, 0) }
    )
  else { return nil }
  defer { free(text) }
  return Array(String(cString: text).utf8)
}
