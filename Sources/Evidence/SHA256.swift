import CNettle

/// Computes the SHA-256 digest (FIPS 180-4) of bytes that come in pieces.
struct SHA256: ~Copyable {
  private var state = sha256_ctx()

  init() { nettle_sha256_init(&state) }

  mutating func update(_ bytes: UnsafeRawBufferPointer) {
    guard let base = bytes.baseAddress else { return }
    nettle_sha256_update(&state, bytes.count, base.assumingMemoryBound(to: UInt8.self))
  }

  mutating func update(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { update($0) }
  }

  /// The 32 bytes of the digest; the value starts anew.
  mutating func finish() -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: 32)
    nettle_sha256_digest(&state, digest.count, &digest)
    return digest
  }

  /// The digest of bytes that are there as a whole.
  static func digest(of bytes: [UInt8]) -> [UInt8] {
    var hasher = SHA256()
    hasher.update(bytes)
    return hasher.finish()
  }
}

/// Lower-case hexadecimal digits, two a byte.
func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
  let digits = Array("0123456789abcdef".utf8)
  var text: [UInt8] = []
  for byte in bytes {
    text.append(digits[Int(byte >> 4)])
    text.append(digits[Int(byte & 15)])
  }
  return String(decoding: text, as: UTF8.self)
}

/// Base 32 in lower case without padding (RFC 4648, section 6): safe in file names on every system,
/// also where case does not count.
func base32(_ bytes: some Sequence<UInt8>) -> String {
  let digits = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)
  var text: [UInt8] = []
  var bits: UInt32 = 0
  var count = 0
  for byte in bytes {
    bits = bits << 8 | UInt32(byte)
    count += 8
    while count >= 5 {
      count -= 5
      text.append(digits[Int(bits >> UInt32(count) & 31)])
    }
    bits &= (1 << UInt32(count)) - 1
  }
  if count > 0 { text.append(digits[Int(bits << UInt32(5 - count) & 31)]) }
  return String(decoding: text, as: UTF8.self)
}
