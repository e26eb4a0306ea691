/// Something that went wrong outside of any test.
package struct RunProblem: Codable, Hashable, Sendable {
  package enum Severity: String, Codable, Sendable { case warning, error }

  /// A stable word for what went wrong; a reader keeps words that it does not know.
  ///
  /// An error that keeps a run from its tests has the code of its module's error type instead of
  /// one of these.
  package struct Code: RawRepresentable, Codable, Hashable, Sendable, CustomStringConvertible {
    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }

    package var description: String { rawValue }

    /// A product does not find its libraries.
    package static let loaderFailed = Code(rawValue: "loader-failed")
    /// The tests of one product and library could not be listed.
    package static let listingFailed = Code(rawValue: "listing-failed")
    /// The build made no test product: the package has no test target. An error with this word is
    /// that of the module that looks for test products.
    package static let noTestProducts = Code(rawValue: "no-test-products")
    /// A class inherits tests that XCTest does not find.
    package static let inheritedTests = Code(rawValue: "inherited-tests")
    /// A test is listed more than once.
    package static let duplicateTest = Code(rawValue: "duplicate-test")
    /// A folder of the user's lies outside of the container.
    package static let containerEscaped = Code(rawValue: "container-escaped")
    /// Files of used containers could not be removed.
    package static let containerLeft = Code(rawValue: "container-left")
    /// A product was built anew or removed during the run.
    package static let executableChanged = Code(rawValue: "executable-changed")
    /// Processes of a product cannot be started as copies.
    package static let warmStartDeclined = Code(rawValue: "warm-start-declined")
    /// The strongest level of isolation does not work on this machine, and was not asked for.
    package static let isolationWeakened = Code(rawValue: "isolation-weakened")
    /// The machine allows fewer sandboxes at once than there are workers.
    package static let sandboxesShort = Code(rawValue: "sandboxes-short")
    /// A test was run in several of the runs that were merged.
    package static let mergeConflict = Code(rawValue: "merge-conflict")
    /// The runs that were merged differ in what matters for their results.
    package static let mergeDifference = Code(rawValue: "merge-difference")
    /// A run that was merged did not come to its end.
    package static let mergeCutOff = Code(rawValue: "merge-cut-off")
    /// The toolchain is not quite the one of the manifest.
    package static let toolchainDiffers = Code(rawValue: "toolchain-differs")
    /// The toolchain says that it is another one than the compiler that it built with.
    package static let toolchainMixed = Code(rawValue: "toolchain-mixed")
    /// Products were built by another toolchain.
    package static let staleProducts = Code(rawValue: "stale-products")
    /// A test names something that no app has registered.
    package static let nameNotRegistered = Code(rawValue: "name-not-registered")
    /// What an app declares is not what it has registered.
    package static let registrationDiffers = Code(rawValue: "registration-differs")
    /// The declared metadata of an app could not be made.
    package static let metadataMissing = Code(rawValue: "metadata-missing")
    /// Limits hold less than they say on this machine.
    package static let limitsWeakened = Code(rawValue: "limits-weakened")
  }

  package var severity: Severity
  package var code: Code
  package var message: String
  /// Output that explains it, if any.
  package var output: String?

  package init(severity: Severity, code: Code, message: String, output: String? = nil) {
    self.severity = severity
    self.code = code
    self.message = message.limitedMessage
    self.output = output?.limitedMessage
  }
}
