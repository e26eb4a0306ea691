public import AppIntents
import IntentWire

/// What the app shows, without drawing it: texts, and entities with the mark whether they are
/// selected. It stands for the user interface, which Linux does not have.
@MainActor
public final class Screen {
  /// The screen of the app's process.
  public static let main = Screen()

  /// What is being put on the screen.
  @MainActor
  public struct Content {
    var texts: [String] = []
    var entities: [(value: IntentValue, isSelected: Bool)] = []

    /// Shows a text.
    public mutating func text(_ text: String) { texts.append(text) }

    /// Shows an entity: what an app does by annotating one of its views.
    public mutating func entity(_ entity: some AppEntity, isSelected: Bool = false) {
      entities.append((entity._value, isSelected))
    }
  }

  private var build: (@MainActor (inout Content) async throws -> Void)?
  /// Whether an intent has brought the app to the front.
  public private(set) var isInFront = false

  /// Says what is on the screen; asked anew whenever somebody looks.
  public func show(_ build: @escaping @MainActor (inout Content) async throws -> Void) {
    self.build = build
  }

  func comeToFront() { isInFront = true }

  var json: WireJSON {
    get async throws {
      var content = Content()
      try await build?(&content)
      return [
        "front": .bool(isInFront), "texts": .array(content.texts.map { .string($0) }),
        "entities": .array(
          content.entities.map { ["entity": $0.value.json, "selected": .bool($0.isSelected)] }),
      ]
    }
  }
}
