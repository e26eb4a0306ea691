package import IntentWire

/// Differences between two builds in the forms that people and machines read.
package enum ChangeReport {
  /// One change a line, those that break saved shortcuts first.
  package static func text(_ changes: [MetadataChange]) -> String {
    changes.map { "\($0.isBreaking ? "breaking" : "        ")  \($0.message)\n" }.joined()
  }

  /// A list for the description of a change.
  package static func markdown(_ changes: [MetadataChange]) -> String {
    changes.map { change in
      let text = String(change.message.map { $0.isNewline ? " " : $0 })
      return "- \(change.isBreaking ? "**breaking**: " : "")\(text)\n"
    }.joined()
  }

  package static func json(_ changes: [MetadataChange]) -> WireJSON {
    [
      "format": "1.0",
      "breaking": .bool(changes.contains { $0.isBreaking }),
      "changes": .array(
        changes.map { change in
          [
            "kind": .string(change.kind.rawValue), "item": .string(change.item.name),
            "breaking": .bool(change.isBreaking), "message": .string(change.message),
          ]
        }),
    ]
  }
}
