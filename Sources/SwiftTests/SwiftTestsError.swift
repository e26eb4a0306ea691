/// What can go wrong with toolchains, builds, listings and the observer.
package struct SwiftTestsError: Error, Sendable, CustomStringConvertible {
  /// Stable codes.
  package enum Code: String, Sendable, CaseIterable {
    /// There is no Swift toolchain on the path.
    case noToolchain = "no-toolchain"
    /// The toolchain that a file or the manifest wants is not installed.
    case toolchainNotInstalled = "toolchain-not-installed"
    /// A path is no toolchain, or a file names none.
    case invalidToolchainRequest = "invalid-toolchain-request"
    /// The toolchain is not the one of the manifest.
    case toolchainDiffers = "toolchain-differs"
    /// The products were built by another toolchain.
    case staleProducts = "stale-products"
    /// A product does not find its libraries.
    case loaderFailed = "loader-failed"
    /// There is no Swift package at the path.
    case noPackage = "no-package"
    /// The package's tests do not build.
    case buildFailed = "build-failed"
    /// The package was not built for tests, or has none.
    case noProducts = "no-test-products"
    /// A product's tests of one library could not be listed.
    case listingFailed = "listing-failed"
    /// The observer could not be made.
    case observerFailed = "observer-failed"
  }

  package var code: Code
  /// What happened and what to do next.
  package var message: String
  /// Details by name, for example `path`.
  package var context: [String: String]
  /// The error below, if any.
  package var cause: (any Error)?
  /// Output that explains it, if any.
  package var output: String?

  package init(
    _ code: Code, _ message: String, context: [String: String] = [:], cause: (any Error)? = nil,
    output: String? = nil
  ) {
    self.code = code
    self.message = message
    self.context = context
    self.cause = cause
    self.output = output
  }

  /// The message, followed by the cause when there is one.
  package var description: String { message + (cause.map { ": \($0)" } ?? "") }
}
