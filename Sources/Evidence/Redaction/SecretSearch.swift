import CScanner

/// What a package's configuration says about redaction.
package struct RedactionOptions: Sendable, Hashable {
  /// A kind of secrets of the package's own.
  package struct Pattern: Sendable, Hashable {
    package var id: String
    package var text: String

    package init(id: String, text: String) {
      self.id = id
      self.text = text
    }
  }

  package var isEnabled = true
  package var patterns: [Pattern] = []
  /// Names of variables and keys that hold secrets; of variables a name may end in `*`.
  package var names: [String] = []
  /// Texts that look like secrets and are none.
  package var keep: [String] = []

  package init() {}
}

/// What is searched for in the files of a bundle: made once for a run, used by any thread.
package final class SecretSearch: Sendable {
  /// A secret has at most so many bytes; of a longer one the rest stays.
  package static let longestSecret = 65_536
  /// The rule of values of variables.
  package static let variableRule = "environment-value"

  /// What a variable has instead of its value.
  package static let removedValue = "[redacted: \(variableRule)]"

  struct Rule: Sendable {
    var id: String
    var check: SecretRule.Check
  }

  let rules: [Rule]
  let automaton: SecretAutomaton
  private let keep: Set<[UInt8]>
  private let names: [String]

  /// - Parameters:
  ///   - environment: Variables the values of which are searched for when their names say that
  ///     they are secret.
  /// - Throws: ``EvidenceError`` with the code `invalid-pattern`.
  package init(_ options: RedactionOptions, environment: [String: String]) throws(EvidenceError) {
    names = options.names
    keep = Set(options.keep.map { Array($0.utf8) })
    var program = SecretProgram()
    var rules: [Rule] = []
    func add(_ pattern: SecretPattern, _ rule: Rule) throws(EvidenceError) {
      try program.add(pattern, rule: rules.count)
      rules.append(rule)
    }
    func add(_ rule: SecretRule) throws(EvidenceError) {
      for text in rule.patterns {
        do throws(EvidenceError) {
          try add(SecretPattern(text), Rule(id: rule.id, check: rule.check))
        } catch {
          throw error.naming(rule.id)
        }
      }
    }
    let ownNames = Set((SecretRule.builtIn + SecretRule.general).map(\.id) + [Self.variableRule])
    for pattern in options.patterns {
      guard !ownNames.contains(pattern.id) else {
        throw EvidenceError.invalidPattern(
          "a rule that is always there has this name; give it another one"
        ).naming(pattern.id)
      }
      do throws(EvidenceError) {
        try add(
          SecretPattern(pattern.text, leavesJSON: true), Rule(id: pattern.id, check: .none))
      } catch {
        throw error.naming(pattern.id)
      }
    }
    for rule in SecretRule.builtIn { try add(rule) }
    let values = Set(
      environment.filter { Self.isSecret($0.key, names: options.names) }.values
        .map { Array($0.utf8) })
    for value in values.sorted(by: { $0.lexicographicallyPrecedes($1) })
    where SecretForms.isSearchable(value) {
      for form in SecretForms.all(of: value) {
        do throws(EvidenceError) {
          try add(SecretPattern(literal: form), Rule(id: Self.variableRule, check: .none))
        } catch {
          throw error.naming(Self.variableRule)
        }
      }
    }
    for rule in SecretRule.general { try add(rule) }
    for name in options.names where name.utf8.count >= 3 && !name.hasSuffix("*") {
      let pattern = SecretRule.valuePattern(names: SecretPattern.escaped(name))
      try add(
        SecretRule(
          id: "secret-value", summary: "", patterns: [pattern], check: .none))
    }
    self.rules = rules
    automaton = SecretAutomaton(program, longest: Self.longestSecret)
  }

  /// Whether the value of a variable is a secret, as its name tells.
  package func isSecret(variable name: String) -> Bool { Self.isSecret(name, names: names) }

  private static func isSecret(_ name: String, names: [String]) -> Bool {
    if SecretName.weight(of: name.utf8) != nil { return true }
    return names.contains { wanted in
      wanted.hasSuffix("*") ? name.hasPrefix(wanted.dropLast()) : name == wanted
    }
  }

  /// What of a match is to be replaced; `nil` for nothing.
  func secret(
    _ match: carrel_scan_match, in bytes: UnsafeBufferPointer<UInt8>, base: Int
  ) -> Range<Int>? {
    guard match.begin < match.end else { return nil }
    // The value of a variable that is taken out already.
    let matched = bytes[match.begin - base..<match.end - base]
    if matched.elementsEqual(Self.removedValue.utf8) { return nil }
    let check = SecretCheck(bytes: bytes, base: base)
    guard
      var range = check.secret(
        rules[Int(match.rule)].check, origin: match.origin, match.begin..<match.end)
    else { return nil }
    // In a binary property list the letters _, o and O before such a byte begin the next text.
    if range.upperBound - base < bytes.count, range.count > 1,
      (0x10...0x13).contains(bytes[range.upperBound - base]),
      ByteSet("_oO").contains(bytes[range.upperBound - base - 1])
    {
      range = range.lowerBound..<range.upperBound - 1
    }
    if !keep.isEmpty, keep.contains(Array(bytes[range.lowerBound - base..<range.upperBound - base]))
    {
      return nil
    }
    return range
  }
}

extension RedactionOptions {
  /// - Parameter environment: The caller's, which has the secrets that tests may know.
  /// - Throws: ``EvidenceError`` with the code `invalid-pattern`.
  package func choice(
    environment: [String: String]
  ) throws(EvidenceError) -> BundleRedactionChoice {
    guard isEnabled else { return .off }
    return .secrets(try SecretSearch(self, environment: environment))
  }
}
