import RunModel

/// An option that a command understands.
struct OptionSpec: Sendable {
  /// All spellings, the preferred one first.
  var names: [String]
  /// Name of the value in the help; `nil` for a switch.
  var value: String?
  /// The value of an option that was given without one; `nil` when it needs one. Others follow the
  /// name after `=` only.
  var implied: String?
  var help: String
  var isRepeatable = false

  init(
    _ names: String..., value: String? = nil, implied: String? = nil, isRepeatable: Bool = false,
    help: String
  ) {
    self.names = names
    self.value = value
    self.implied = implied
    self.isRepeatable = isRepeatable
    self.help = help
  }
}

/// A command's grammar: what `--help` prints and what the parser accepts.
struct CommandSpec: Sendable {
  var name: String
  var summary: String
  /// Names of the positional arguments; optional ones are in brackets, and one that may come
  /// several times ends with `...`.
  var positionals: [String] = []
  var options: [OptionSpec] = []
  /// What may follow after `--`; `nil` when nothing may.
  var rest: String?
  /// Text after the options.
  var discussion = ""

  /// The text for `--help`, without the last line's end.
  var help: String {
    var usage = "usage: carrel \(name)"
    if !options.isEmpty { usage += " [OPTION]..." }
    for positional in positionals { usage += " \(positional)" }
    if let rest { usage += " [-- \(rest)]" }
    var lines = [summary, "", usage, ""]
    let rows = (options + [OptionSpec("--help", "-h", help: "print this and exit")]).map { option in
      (
        option.names.joined(separator: ", ")
          + (option.value.map { option.implied == nil ? " \($0)" : "[=\($0)]" } ?? ""),
        option.help + (option.isRepeatable ? "; may be given several times" : "")
      )
    }
    let width = rows.map(\.0.count).max() ?? 0
    for (left, right) in rows {
      var text = "  " + left + String(repeating: " ", count: width - left.count + 2)
      let indent = String(repeating: " ", count: width + 4)
      var column = 0
      for word in right.split(separator: " ") {
        if column > 0, column + word.count + 1 > 100 - width - 4 {
          text += "\n" + indent
          column = 0
        } else if column > 0 {
          text += " "
          column += 1
        }
        text += word
        column += word.count
      }
      lines.append(text)
    }
    if !discussion.isEmpty { lines += ["", discussion] }
    return lines.joined(separator: "\n")
  }
}

/// A command line that makes no sense.
struct UsageError: Error {
  var message: String
}

/// A parsed command line.
struct ParsedArguments: Sendable {
  private var values: [String: [String]] = [:]
  private(set) var positionals: [String] = []
  private(set) var rest: [String] = []
  private(set) var asksForHelp = false
  /// All words, the command's name first.
  let commandLine: [String]
  private let spec: CommandSpec

  /// - Throws: ``UsageError`` naming the argument and what to do about it.
  init(_ arguments: some Sequence<String>, spec: CommandSpec) throws(UsageError) {
    self.spec = spec
    commandLine = [spec.name] + arguments
    var queue = Array(arguments)[...]
    while let argument = queue.popFirst() {
      if argument == "--" {
        guard spec.rest != nil || queue.isEmpty else {
          throw UsageError(message: "'carrel \(spec.name)' takes nothing after '--'")
        }
        rest = Array(queue)
        break
      }
      guard argument.hasPrefix("-"), argument != "-" else {
        // What an unset variable of a script leaves would mean the current folder.
        guard !argument.isEmpty else {
          throw UsageError(message: "'carrel \(spec.name)' was given an empty argument")
        }
        positionals.append(argument)
        continue
      }
      if argument == "--help" || argument == "-h" {
        asksForHelp = true
        continue
      }
      // `-j2` is `-j 2`.
      if !argument.hasPrefix("--"), argument.count > 2,
        spec.options.contains(where: {
          $0.value != nil && $0.names.contains(String(argument.prefix(2)))
        })
      {
        let value = argument.dropFirst(2)
        queue.insert(String(value.first == "=" ? value.dropFirst() : value), at: queue.startIndex)
        queue.insert(String(argument.prefix(2)), at: queue.startIndex)
        continue
      }
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = String(parts[0])
      guard let option = spec.options.first(where: { $0.names.contains(name) }) else {
        throw UsageError(message: unknownOption(name, spec: spec))
      }
      let key = option.names[0]
      var value = ""
      if let valueName = option.value {
        if parts.count == 2 {
          value = String(parts[1])
        } else if let implied = option.implied {
          value = implied
        } else if let next = queue.popFirst() {
          value = next
        } else {
          throw UsageError(message: "\(name) needs a value: \(name) \(valueName)")
        }
        guard !value.isEmpty else {
          throw UsageError(message: "\(name) needs a value that is not empty: \(name) \(valueName)")
        }
      } else if parts.count == 2 {
        throw UsageError(message: "\(name) takes no value")
      }
      guard option.isRepeatable || values[key] == nil else {
        throw UsageError(message: "\(name) was given twice")
      }
      values[key, default: []].append(value)
    }
    let takesMore = spec.positionals.contains { $0.hasSuffix("...") }
    guard positionals.count <= spec.positionals.count || takesMore || asksForHelp else {
      throw UsageError(
        message: "unexpected argument '\(positionals[spec.positionals.count])'; "
          + "see 'carrel \(spec.name) --help'")
    }
  }

  /// The same without some of the options.
  func without(_ names: String...) -> ParsedArguments {
    var result = self
    for name in names { result.values[name] = nil }
    return result
  }

  func has(_ name: String) -> Bool { values[name] != nil }
  func all(_ name: String) -> [String] { values[name] ?? [] }
  func string(_ name: String) -> String? { values[name]?.last }

  /// A whole number in a range.
  func integer(_ name: String, in range: ClosedRange<Int>) throws(UsageError) -> Int? {
    guard let text = string(name) else { return nil }
    guard let value = Int(text), range.contains(value) else {
      throw UsageError(
        message: "\(name) needs a whole number from \(range.lowerBound) to \(range.upperBound), "
          + "not '\(text)'")
    }
    return value
  }

  /// The greatest number of seconds that an option takes, eleven days.
  static let mostSeconds = 1_000_000

  /// A limit in seconds; infinity for `none`, `nil` when the option is not there.
  func limit(_ name: String) throws(UsageError) -> Double? {
    guard let text = string(name) else { return nil }
    if text == "none" { return .infinity }
    guard let value = Double(text), value > 0, value <= Double(Self.mostSeconds) else {
      throw UsageError(
        message: "\(name) needs a number of seconds above 0, up to \(Self.mostSeconds), or 'none', "
          + "not '\(text)'")
    }
    return value
  }

  /// A number of seconds, which may be 0; `nil` when the option is not there.
  func seconds(_ name: String) throws(UsageError) -> Double? {
    guard let text = string(name) else { return nil }
    guard let value = Double(text), value >= 0, value <= Double(Self.mostSeconds) else {
      throw UsageError(
        message: "\(name) needs a number of seconds from 0 to \(Self.mostSeconds), not '\(text)'")
    }
    return value
  }

  /// One of a list of words.
  func choice(_ name: String, of words: [String]) throws(UsageError) -> String? {
    guard let text = string(name) else { return nil }
    guard words.contains(text) else {
      let list = words.map { "'\($0)'" }.joined(separator: ", ")
      throw UsageError(message: "\(name) needs one of \(list), not '\(text)'")
    }
    return text
  }
}

private func unknownOption(_ name: String, spec: CommandSpec) -> String {
  let known = spec.options.flatMap(\.names)
  let near = known.filter {
    $0.hasPrefix(name) || name.hasPrefix($0) || (name.hasPrefix("--") && isNear($0, name))
  }
  let hint = near.isEmpty ? "; see 'carrel \(spec.name) --help'" : didYouMean(near)
  return "'carrel \(spec.name)' has no option '\(name)'" + hint
}

/// Whether two words differ by a typing error or two.
func isNear(_ first: String, _ second: String) -> Bool {
  editDistance(Array(first.utf8), Array(second.utf8), limit: 2) != nil
}
