import Glibc

/// A text that is compared by its bytes of UTF-8.
///
/// Swift's strings are equal when they are canonically equivalent (UAX #15), as "é" is written with
/// one scalar or with two. Names of tests that differ only in that are names of two tests.
package struct ExactText: Hashable, Comparable, Sendable {
  package let text: String

  package init(_ text: String) { self.text = text }

  package static func == (lhs: Self, rhs: Self) -> Bool {
    guard lhs.text.utf8.count == rhs.text.utf8.count else { return false }
    // Both are native strings almost always, and this is asked for each event of each test.
    let isEqual = lhs.text.utf8.withContiguousStorageIfAvailable { left in
      rhs.text.utf8.withContiguousStorageIfAvailable { right in
        guard let first = left.baseAddress, let second = right.baseAddress else { return true }
        return memcmp(first, second, left.count) == 0
      }
    }
    return (isEqual ?? nil) ?? lhs.text.utf8.elementsEqual(rhs.text.utf8)
  }

  package static func < (lhs: Self, rhs: Self) -> Bool {
    lhs.text.utf8.lexicographicallyPrecedes(rhs.text.utf8)
  }

  package func hash(into hasher: inout Hasher) {
    let isDone: Void? = text.utf8.withContiguousStorageIfAvailable {
      hasher.combine(bytes: UnsafeRawBufferPointer($0))
    }
    if isDone == nil { for byte in text.utf8 { hasher.combine(byte) } }
    // No byte of UTF-8: texts one after another are not mixed up.
    hasher.combine(0xFF as UInt8)
  }
}
