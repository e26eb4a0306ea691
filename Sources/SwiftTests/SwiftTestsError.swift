/// What can go wrong with toolchains, builds, listings and the observer.
package struct SwiftTestsError: Error, Sendable, CustomStringConvertible {
  /// Stable codes.
  package enum Code: String, Sendable {
    case noToolchain = "no-toolchain"
    case noPackage = "no-package"
    case buildFailed = "build-failed"
    case noProducts = "no-test-products"
    case listingFailed = "listing-failed"
    case observerFailed = "observer-failed"
  }

  package var code: Code
  /// What happened and what to do next.
  package var message: String
  /// Output that explains it, if any.
  package var output: String?

  package init(_ code: Code, _ message: String, output: String? = nil) {
    self.code = code
    self.message = message
    self.output = output
  }

  package var description: String { message }
}
