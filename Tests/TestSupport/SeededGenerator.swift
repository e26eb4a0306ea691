/// SplitMix64 (Steele, Lea and Flood, 2014): small, and the same numbers for the same seed
/// everywhere.
package struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Neighbouring seeds must not give the same sequence, shifted; hence the odd factor of its own.
  package init(seed: some BinaryInteger) {
    state = (UInt64(truncatingIfNeeded: seed) &+ 1) &* 0xD134_2543_DE82_EF95
  }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  package mutating func chance(_ probability: Double) -> Bool {
    Double.random(in: 0..<1, using: &self) < probability
  }
}
