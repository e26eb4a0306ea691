package import RunModel

/// What `carrel list` prints.
package enum ListReport {
  /// The version of the JSON form.
  package static let format = FormatVersion(major: 1, minor: 0)

  /// One test a line: the name where it is unique in the package, else the full ID.
  ///
  /// Each line ends in a line feed; no test, no line.
  ///
  /// - Parameter all: All tests of the package; `nil` when they are the ones listed.
  package static func text(
    _ tests: [TestDescriptor], among all: [TestDescriptor]? = nil
  ) -> String {
    let names = ShortNames((all ?? tests).lazy.map(\.id))
    var result = ""
    for test in tests {
      result += names.name(of: test.id)
      result += "\n"
    }
    return result
  }

  /// The listing as JSON, one test a line, with exact names; docs/reports.md has the grammar.
  package static func json(_ tests: [TestDescriptor]) -> String {
    var json = JSONText()
    json.raw("{\"format\":\"\(format)\",\"tests\":[")
    for (index, test) in tests.enumerated() {
      json.raw(index == 0 ? "\n" : ",\n")
      json.raw("{\"id\":")
      json.string(test.id.description)
      json.raw(",\"product\":")
      json.string(test.id.product)
      json.raw(",\"library\":")
      json.string(test.id.library.rawValue)
      json.raw(",\"name\":")
      json.string(test.id.name)
      json.raw(",\"displayName\":")
      json.string(test.displayName)
      json.raw(",\"file\":")
      json.string(test.location?.file)
      json.raw(",\"line\":\(test.location.map { "\($0.line)" } ?? "null")")
      json.raw(",\"tags\":[")
      for (index, tag) in test.tags.enumerated() {
        if index > 0 { json.raw(",") }
        json.string(tag)
      }
      json.raw("],\"parameterized\":\(test.isParameterized)}")
    }
    json.raw(tests.isEmpty ? "]}\n" : "\n]}\n")
    return json.text
  }
}
