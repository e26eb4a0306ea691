@testable import Evidence

/// Builds tar archives byte by byte, also such as no tool would write.
struct TarBuilder {
  var bytes: [UInt8] = []

  /// Adds an entry; `size` may lie about the data.
  mutating func add(
    _ name: [UInt8], type: Character = "0", mode: Int = 0o644, target: [UInt8] = [],
    data: [UInt8] = [], size: Int? = nil
  ) {
    if name.count > 100 || target.count > 100 || name.contains(0) || target.contains(0) {
      addExtendedHeader([("path", name), ("linkpath", target)].filter { !$0.1.isEmpty })
    }
    add(
      header: Array(name.prefix { $0 != 0 }.prefix(100)), type, mode,
      Array(target.prefix { $0 != 0 }.prefix(100)), size ?? data.count)
    append(data)
  }

  mutating func add(
    _ name: String, type: Character = "0", mode: Int = 0o644, target: String = "",
    data: String = ""
  ) {
    add(
      Array(name.utf8), type: type, mode: mode, target: Array(target.utf8), data: Array(data.utf8))
  }

  mutating func addExtendedHeader(_ records: [(String, [UInt8])]) {
    var data: [UInt8] = []
    for (key, value) in records {
      let body = Array(" \(key)=".utf8) + value + [10]
      var length = body.count + 1
      while "\(length)".utf8.count + body.count != length { length += 1 }
      data += Array("\(length)".utf8) + body
    }
    add(header: Array("PaxHeader".utf8), "x", 0o644, [], data.count)
    append(data)
  }

  mutating func finish() { bytes += [UInt8](repeating: 0, count: 1024) }

  /// Adds a manifest as a bundle has it.
  mutating func addManifest() throws {
    add(Array("manifest.json".utf8), data: try encodedJSON(BundleManifest.sample()))
  }

  private mutating func append(_ data: [UInt8]) {
    bytes += data
    bytes += [UInt8](repeating: 0, count: (512 - data.count % 512) % 512)
  }

  private mutating func add(
    header name: [UInt8], _ type: Character, _ mode: Int, _ target: [UInt8], _ size: Int
  ) {
    var block = [UInt8](repeating: 0, count: 512)
    func put(_ text: [UInt8], at offset: Int) {
      block.replaceSubrange(offset..<offset + text.count, with: text)
    }
    func octal(_ value: Int, _ width: Int) -> [UInt8] {
      let digits = Array(String(value, radix: 8).utf8)
      return [UInt8](repeating: 48, count: width - digits.count) + digits
    }
    put(name, at: 0)
    put(octal(mode, 7), at: 100)
    put(octal(0, 7), at: 108)
    put(octal(0, 7), at: 116)
    if size < 1 << 33 {
      put(octal(size, 11), at: 124)
    } else {
      put(
        [0x80, 0, 0, 0] + (0..<8).map { UInt8(truncatingIfNeeded: size >> (56 - 8 * $0)) }, at: 124)
    }
    put(octal(0, 11), at: 136)
    put(Array(repeating: 32, count: 8), at: 148)
    put([type.asciiValue ?? 48], at: 156)
    put(target, at: 157)
    put(Array("ustar\u{0}00".utf8), at: 257)
    let sum = block.reduce(into: 0) { $0 += Int($1) }
    put(octal(sum, 6) + [0, 32], at: 148)
    bytes += block
  }
}
