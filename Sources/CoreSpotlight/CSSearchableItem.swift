public import Foundation
package import IntentWire

/// What the index knows of an item.
public class CSSearchableItemAttributeSet: @unchecked Sendable {
  // Not for several threads at once, as on Apple's systems: made, filled and handed over.
  public var title: String?
  public var displayName: String?
  public var alternateNames: [String]?
  public var contentDescription: String?
  public var keywords: [String]?
  public var textContent: String?
  public var contentURL: URL?
  public var identifier: String?
  public var domainIdentifier: String?
  public var contentType: String?
  public var contentCreationDate: Date?
  public var contentModificationDate: Date?
  public var rankingHint: NSNumber?

  public init() {}

  public init(itemContentType: String) { contentType = itemContentType }

  /// The texts that are searched, by field.
  package var fields: [IndexUpdate.Field] {
    let texts: [(String, String?)] = [
      ("title", title), ("displayName", displayName),
      ("alternateNames", alternateNames?.joined(separator: "\n")),
      ("contentDescription", contentDescription), ("keywords", keywords?.joined(separator: "\n")),
      ("textContent", textContent),
    ]
    return texts.compactMap { name, text in text.map { IndexUpdate.Field(name, $0) } }
  }
}

/// An item for the index.
public class CSSearchableItem: @unchecked Sendable {
  public var uniqueIdentifier: String
  public var domainIdentifier: String?
  public var attributeSet: CSSearchableItemAttributeSet
  public var expirationDate: Date?

  public init(
    uniqueIdentifier: String?, domainIdentifier: String?,
    attributeSet: CSSearchableItemAttributeSet
  ) {
    self.uniqueIdentifier = uniqueIdentifier ?? UUID().uuidString
    self.domainIdentifier = domainIdentifier
    self.attributeSet = attributeSet
  }
}
