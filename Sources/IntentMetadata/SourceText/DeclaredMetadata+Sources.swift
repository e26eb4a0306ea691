extension DeclaredMetadata {
  /// Looks into the sources for what the compiler does not tell: the lines of App Shortcuts and
  /// phrases, of which it names the list's alone, and what comments switch off.
  ///
  /// - Parameter read: Gives the bytes of a file as ``SourceLocation`` names it; `nil` when it
  ///   cannot be read, and then its things stay where they are.
  package mutating func readSources(_ read: (String) -> [UInt8]?) {
    var scanned: [String: SwiftTokens] = [:]
    let places = Array(locations.values) + unknowns.compactMap(\.location)
    for file in Set(places.map(\.file)) {
      guard let tokens = read(file).map({ SwiftTokens($0) }) else { continue }
      scanned[file] = tokens
      let suppressions = SourceSuppressions(tokens)
      if !suppressions.isEmpty { self.suppressions[file] = suppressions }
    }
    var lists: [SourceLocation: [Int]] = [:]
    for number in metadata.shortcuts.indices {
      if let place = locations[.shortcut(number)] { lists[place, default: []].append(number) }
    }
    for (place, numbers) in lists {
      guard let tokens = scanned[place.file]?.tokens,
        let body = ShortcutList(tokens, from: place.line)
      else { continue }
      locate(numbers, in: body, of: place.file)
    }
    for index in unknowns.indices {
      switch unknowns[index].item {
      case .shortcut?, .phrase?:
        if let place = unknowns[index].item.flatMap({ locations[$0] }) {
          unknowns[index].location = place
        }
      default: break
      }
    }
  }

  private mutating func locate(_ numbers: [Int], in list: ShortcutList, of file: String) {
    let shortcuts = metadata.shortcuts
    for (position, number) in numbers.enumerated() {
      // Conditions of the build can leave out some of what is written.
      let isOne = list.calls.count == numbers.count
      let call = isOne ? list.calls[position] : list.tokens[...]
      if isOne, let line = call.first?.line {
        locations[.shortcut(number)] = SourceLocation(file: file, line: line)
      }
      var rest = call
      for (index, phrase) in shortcuts[number].phrases.enumerated() {
        let item = MetadataItem.phrase(shortcut: number, index)
        if let place = rest.firstIndex(where: { $0.phraseTemplate == phrase.key }) {
          locations[item] = SourceLocation(file: file, line: rest[place].line)
          if isOne { rest = rest[(place + 1)...] }
        } else {
          locations[item] = locations[.shortcut(number)]
        }
      }
    }
  }
}

/// What is between the braces of `appShortcuts`.
private struct ShortcutList {
  let tokens: ArraySlice<SwiftToken>
  /// From the name of each call to that of the next one.
  let calls: [ArraySlice<SwiftToken>]

  /// - Parameter line: Of the property.
  init?(_ tokens: [SwiftToken], from line: Int) {
    guard
      let name = tokens.firstIndex(where: { $0.line >= line && $0.word == "appShortcuts" }),
      let open = tokens[name...].firstIndex(where: { $0.isSymbol("{") })
    else { return nil }
    var depth = 0
    var end = open
    for index in open..<tokens.count {
      if tokens[index].isSymbol("{") { depth += 1 }
      if tokens[index].isSymbol("}") { depth -= 1 }
      end = index
      if depth == 0 { break }
    }
    let body = tokens[open..<end]
    let starts = body.indices.dropLast().filter {
      body[$0].word == "AppShortcut" && body[$0 + 1].isSymbol("(")
    }
    self.tokens = body
    calls = starts.indices.map { position in
      body[starts[position]..<(position + 1 < starts.count ? starts[position + 1] : body.endIndex)]
    }
  }
}
