/// The tests of one product and library, which may share a process.
///
/// Products are compared by their bytes; see ``ExactText``.
package struct TestGroup: Hashable, Sendable {
  private let exactProduct: ExactText
  package let library: TestLibrary

  package init(product: String, library: TestLibrary) {
    exactProduct = ExactText(product)
    self.library = library
  }

  package var product: String { exactProduct.text }
}

extension TestID {
  package var group: TestGroup { TestGroup(product: product, library: library) }
}
