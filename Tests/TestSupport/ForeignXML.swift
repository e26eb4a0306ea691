import FoundationEssentials
import Glibc

/// An element of an XML document as a foreign parser, Python's expat, reads it.
package struct ForeignXML: Decodable, Sendable {
  package var tag: String
  package var attributes: [String: String]
  package var text: String
  package var children: [ForeignXML]

  /// A document that the parser refuses, in the parser's words.
  package struct Refused: Error, CustomStringConvertible {
    package var description: String
  }

  /// Whether the machine has the parser.
  package static let isAvailable =
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").contains {
      access("\($0)/python3", X_OK) == 0
    }

  /// The root elements of documents.
  ///
  /// - Throws: ``Refused`` when one is not well-formed.
  package static func read(_ paths: [String]) async throws -> [ForeignXML] {
    let script = """
      import json, sys, xml.etree.ElementTree as tree
      def element(e):
          return {"tag": e.tag, "attributes": e.attrib, "text": e.text or "",
                  "children": [element(c) for c in e]}
      json.dump([element(tree.parse(p).getroot()) for p in sys.argv[1:]], sys.stdout)
      """
    let output = try await runProcess(["python3", "-c", script] + paths)
    guard output.status == 0 else {
      throw Refused(description: "\(paths) cannot be read: \(output.errorText.suffix(2000))")
    }
    return try JSONDecoder().decode([ForeignXML].self, from: Data(output.stdout))
  }

  package func children(_ tag: String) -> [ForeignXML] { children.filter { $0.tag == tag } }

  /// All elements of a tag below this one, in document order.
  package func descendants(_ tag: String) -> [ForeignXML] {
    children.flatMap { ($0.tag == tag ? [$0] : []) + $0.descendants(tag) }
  }

  /// A numeric attribute; absent counts as 0.
  package func count(_ name: String) -> Int { attributes[name].flatMap { Int($0) } ?? 0 }
}
