package import RunModel

/// Names the fixture of an attempt: data made from it is the same for the same run seed and test,
/// whatever the attempt, the worker and the machine.
package enum FixtureToken {
  /// 16 characters out of `a` to `z` and `2` to `7`: the first 80 bits of the SHA-256 digest of the
  /// seed and the test's printed ID, each ended by a zero byte.
  package static func make(seed: String, test: TestID) -> String {
    make(seed: seed, name: test.description)
  }

  /// The same for something else than a test.
  package static func make(seed: String, name: String) -> String {
    let bytes = Array(seed.utf8) + [0] + Array(name.utf8) + [0]
    return base32(SHA256.digest(of: bytes).prefix(10))
  }
}
