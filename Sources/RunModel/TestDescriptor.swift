/// A test as the listing found it.
package struct TestDescriptor: Codable, Hashable, Sendable {
  package var id: TestID
  /// A name for people, when the author gave one.
  package var displayName: String?
  package var location: SourceLocation?
  package var isParameterized: Bool
  package var tags: [String]
  /// The library's own identifier: Swift Testing's
  /// `Module.Suite/function()/File.swift:LINE:COLUMN`, the same as ``TestID/name`` for XCTest.
  package var libraryID: String
  /// Whether the test's module calls apps through the intent system; `nil` stands for `false`.
  private var intents: Bool?
  private var namesake: Bool?

  /// Whether another listed test, which need not be planned, has the same name, so that reports
  /// show the whole ID.
  package var hasNamesake: Bool {
    get { namesake ?? false }
    set { namesake = newValue ? true : nil }
  }

  /// Whether the test's module calls apps through the intent system, so that each of its tests gets
  /// a batch of its own.
  package var usesIntents: Bool {
    get { intents ?? false }
    set { intents = newValue ? true : nil }
  }

  package init(
    id: TestID, displayName: String? = nil, location: SourceLocation? = nil,
    isParameterized: Bool = false, tags: [String] = [], libraryID: String? = nil,
    usesIntents: Bool = false
  ) {
    intents = usesIntents ? true : nil
    self.id = id
    self.displayName = displayName?.limitedName
    self.location = location
    self.isParameterized = isParameterized
    self.tags = tags.prefix(ResultLimits.standard.tags).map(\.limitedName)
    self.libraryID = libraryID ?? id.name
  }
}
