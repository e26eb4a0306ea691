import Testing

/// Does not compile: the types do not fit.
@Test func neverBuilt() {
  let number: Int = "forty-two"
  #expect(number == 42)
}
