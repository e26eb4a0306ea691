import FoundationEssentials
import Testing

/// The documents of this repository.
enum DocumentationFiles {
  /// The root of the repository.
  static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// Paths of all documents relative to the root, sorted.
  static let all: [String] = {
    var result: [String] = []
    func look(in folder: String) {
      let path = root.appending(path: folder).path
      for name in (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] {
        let relative = folder.isEmpty ? name : "\(folder)/\(name)"
        if name.hasSuffix(".md") {
          result.append(relative)
        } else if folder.hasPrefix("docs"), isFolder(relative) {
          look(in: relative)
        }
      }
    }
    look(in: "")
    look(in: "docs")
    return result.sorted()
  }()

  static func text(_ path: String) throws -> String {
    String(decoding: try Data(contentsOf: root.appending(path: path)), as: UTF8.self)
  }

  /// The text of all Swift sources of a folder of `Sources`, or of all of them.
  static func sources(in folder: String = "") throws -> String {
    let path = "Sources" + (folder.isEmpty ? "" : "/\(folder)")
    var result = ""
    let names = try FileManager.default.contentsOfDirectory(atPath: root.appending(path: path).path)
    for name in names.sorted() {
      if name.hasSuffix(".swift") {
        result += try text("\(path)/\(name)")
      } else if isFolder("\(path)/\(name)") {
        result += try sources(in: folder.isEmpty ? name : "\(folder)/\(name)")
      }
    }
    return result
  }

  static func exists(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: root.appending(path: path).path)
  }

  static func isExecutable(_ path: String) -> Bool {
    FileManager.default.isExecutableFile(atPath: root.appending(path: path).path)
  }

  private static func isFolder(_ path: String) -> Bool {
    var isFolder = false
    return FileManager.default.fileExists(
      atPath: root.appending(path: path).path, isDirectory: &isFolder) && isFolder
  }
}

/// A Markdown document, as far as the tests look at it.
struct DocumentationPage {
  /// A line inside of a fenced block.
  struct CodeLine {
    /// The word after the opening fence, for example `sh`.
    var language: String
    /// From 1.
    var number: Int
    var text: String
  }

  private(set) var code: [CodeLine] = []
  /// Lines outside of fenced blocks, with inline code blanked out.
  private(set) var prose: [(number: Int, text: String)] = []

  init(_ text: String) {
    var language: String?
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      if line.hasPrefix("```") {
        language = language == nil ? String(line.dropFirst(3)) : nil
      } else if let language {
        code.append(CodeLine(language: language, number: index + 1, text: String(line)))
      } else {
        let text = String(line).replacing(#/`+[^`]*`+/#, with: "code")
        prose.append((index + 1, text))
      }
    }
  }

  /// The cells of the table rows below a heading, without the head of each table; trimmed.
  ///
  /// - Parameter heading: With its number signs. The section ends at the next heading of any depth.
  static func rows(of text: String, below heading: String) -> [[String]] {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard let start = lines.firstIndex(where: { $0 == heading }) else { return [] }
    let section = lines[(start + 1)...].prefix { !$0.hasPrefix("#") }
    return section.indices.compactMap { index in
      let next = index + 1 < lines.endIndex ? lines[index + 1] : ""
      guard lines[index].hasPrefix("|"), !lines[index].hasPrefix("|---"), !next.hasPrefix("|---")
      else { return nil }
      return lines[index].split(separator: "|").map { cell in
        String(cell.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
      }
    }
  }

  /// The words in backquotes of a text.
  static func quoted(in text: String) -> [String] {
    text.matches(of: #/`([^`]+)`/#).map { String($0.1) }
  }

  /// What links lead to, with the number of the line.
  var links: [(number: Int, target: String)] {
    prose.flatMap { line in
      line.text.matches(of: #/\]\(([^()\s]+)\)/#).map { (line.number, String($0.1)) }
    }
  }

  /// The anchors that GitHub makes of a text's headings.
  static func anchors(in text: String) -> Set<String> {
    var isCode = false
    var result: Set<String> = []
    for line in text.split(separator: "\n") {
      if line.hasPrefix("```") { isCode.toggle() }
      guard !isCode, line.hasPrefix("#") else { continue }
      let title = line.drop { $0 == "#" }.drop { $0 == " " }.lowercased()
      result.insert(
        String(
          title.compactMap { character -> Character? in
            if character == " " { return "-" }
            return character.isLetter || character.isNumber || "-_".contains(character)
              ? character : nil
          }))
    }
    return result
  }
}

/// A link to a file of the repository.
struct DocumentationLink {
  /// Relative to the root; `nil` when it leads out of the repository.
  var path: String?
  var anchor: String?

  /// - Returns: `nil` for a link to somewhere else.
  init?(_ target: String, in document: String) {
    guard !target.contains("://"), !target.hasPrefix("mailto:") else { return nil }
    let parts = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
    if parts.count == 2 { anchor = String(parts[1]) }
    guard !parts[0].isEmpty else {
      path = document
      return
    }
    var components = document.split(separator: "/").dropLast().map { String($0) }
    for component in parts[0].split(separator: "/") where component != "." {
      if component != ".." {
        components.append(String(component))
      } else if components.popLast() == nil {
        return
      }
    }
    path = components.joined(separator: "/")
  }
}

/// A part of a document that is made from the code, between two comments.
struct GeneratedSection {
  var path: String
  var name: String

  /// Compares the section with what it should be. With `CARREL_RECORD_SNAPSHOTS=1` in the
  /// environment it is rewritten instead.
  func expect(
    _ wanted: String, sourceLocation: Testing.SourceLocation = #_sourceLocation
  ) throws {
    let text = try DocumentationFiles.text(path)
    let begin = "<!-- begin: \(name), written by DocumentationTests -->\n"
    let end = "<!-- end: \(name) -->\n"
    let start = try #require(text.firstRange(of: begin), "\(path) has no line \(begin)")
    let stop = try #require(text.firstRange(of: end), "\(path) has no line \(end)")
    let found = String(text[start.upperBound..<stop.lowerBound])
    if ProcessInfo.processInfo.environment["CARREL_RECORD_SNAPSHOTS"] == "1" {
      let whole = text[..<start.upperBound] + wanted + text[stop.lowerBound...]
      try Data(whole.utf8).write(to: DocumentationFiles.root.appending(path: path))
      return
    }
    #expect(
      found == wanted, "run the tests once with CARREL_RECORD_SNAPSHOTS=1 to rewrite \(path)",
      sourceLocation: sourceLocation)
  }
}
