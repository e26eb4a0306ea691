import IntentWire
import RunModel

/// The last calls of apps in a bundle's journal, for people: what was given, what came back, and
/// which one the failure is about.
struct BundleCalls {
  /// Most calls that are shown.
  private static let most = 5
  /// Most characters of the parameters, and of what came back.
  private static let width = 160

  private struct Call {
    var name: String
    var parameters: String
    var error: WireError?
    var result: String
    var pendingUpdates: Int
  }

  private let calls: [Call]
  /// Number of calls that the journal has or counts.
  private let count: Int
  private let relevant: Int?

  /// - Parameter journal: Lines; those that cannot be read are left out.
  init(journal: some Sequence<UInt8>, attempt: AttemptResult) {
    var calls: [Call] = []
    var omitted = 0
    for line in Array(journal).split(separator: 10) {
      guard let json = try? WireJSON(reading: Array(line)) else { continue }
      if let number = json["omitted"]?.int { omitted += number }
      if let call = Self.call(json) { calls.append(call) }
    }
    count = calls.count + omitted
    let words = (attempt.issues.map(\.message) + [attempt.reason ?? ""]).joined(separator: "\n")
    // The failure tells the call's own text, or it came from what a call returned.
    let failed = calls.lastIndex { call in call.error.map { words.contains($0.message) } ?? false }
    relevant = failed ?? calls.indices.last
    self.calls = calls
  }

  /// The calls around the relevant one, a heading first; empty when nothing was called.
  var lines: [String] {
    guard let relevant else { return [] }
    let start = max(0, min(relevant, calls.count - 1) - Self.most + 1)
    let shown = calls[start...relevant]
    let later = count - relevant - 1
    var lines = [
      shown.count == count
        ? "calls:" : "calls:         \(start + 1) to \(relevant + 1) of \(count)"
    ]
    for (index, call) in zip(shown.indices, shown) {
      let mark = index == relevant ? "> " : "  "
      lines.append("\(mark)\(call.name)(\(call.parameters))")
      if let error = call.error {
        let parameter = error.parameter.map { ", parameter '\($0)'" } ?? ""
        lines.append("    \(error.code.name)\(parameter): \(firstLine(error.fullText))")
      } else {
        lines.append("    returned \(call.result)")
      }
      if call.pendingUpdates > 0 {
        lines.append("    index updates that could not be found yet: \(call.pendingUpdates)")
      }
    }
    if later > 0 { lines.append("  and \(later) later") }
    return lines
  }

  private func firstLine(_ text: String) -> String {
    String(text.prefix { $0 != "\n" }.prefix(2 * Self.width))
  }

  private static func call(_ json: WireJSON) -> Call? {
    guard let method = json["method"]?.string else { return nil }
    let parameters = json["parameters"]
    var name = json["intent"]?.string ?? method
    var given = ""
    if json["intent"]?.string != nil {
      given = (parameters?.members ?? []).map { "\($0.key): \(text($0.value))" }
        .joined(separator: ", ")
    } else if let type = parameters?["type"]?.string {
      name = "query of \(type)"
      given = (parameters?.members ?? []).filter { $0.key != "type" }.map {
        "\($0.key): \($0.value.string ?? text($0.value))"
      }.joined(separator: ", ")
    }
    var error: WireError?
    if let failure = json["error"] {
      // What stands beside the message is `data` in an answer.
      error = try? WireError(
        json: .object((failure.members ?? []) + [.init("data", failure)]))
    }
    return Call(
      name: name, parameters: shortened(given), error: error, result: result(json["result"]),
      pendingUpdates: json["pendingUpdates"]?.int ?? 0)
  }

  private static func result(_ json: WireJSON?) -> String {
    let members = (json?.members ?? []).map { member in
      if let list = member.value.array {
        return "\(member.key): " + (list.isEmpty ? "none" : list.map(text).joined(separator: ", "))
      }
      return "\(member.key): \(member.value.string ?? text(member.value))"
    }
    return members.isEmpty ? "nothing" : shortened(members.joined(separator: ", "))
  }

  private static func text(_ json: WireJSON) -> String {
    if let value = try? IntentValue(json: json) { return "\(value)" }
    return String(decoding: json.bytes, as: UTF8.self)
  }

  private static func shortened(_ text: String) -> String {
    text.count > width ? text.prefix(width) + "…" : text
  }
}
