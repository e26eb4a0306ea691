/// What a difference from the manifest is.
package enum ToolchainPolicy: String, CaseIterable, Codable, Sendable {
  /// Every difference is an error.
  case exact
  /// What can change results is an error, the rest a warning; see ``ToolchainDifference``.
  case compatible
  /// The manifest is not looked at.
  case off
}

/// What a difference counts as.
package enum ToolchainDifferenceWeight: String, Codable, Sendable {
  case error, warning, ignored
}

/// A fact that is not as it should be.
package struct ToolchainDifference: Codable, Hashable, Sendable {
  /// Name of the fact.
  package var fact: String
  package var wanted: String
  /// `nil` when there is nothing of the name.
  package var found: String?

  package init(fact: String, wanted: String, found: String?) {
    self.fact = fact
    self.wanted = wanted
    self.found = found
  }

  package var kind: ToolchainFactKind? { ToolchainFactKind(of: fact) }

  /// What it counts as under a policy.
  package func weight(_ policy: ToolchainPolicy) -> ToolchainDifferenceWeight {
    guard let kind, policy != .off else { return .ignored }
    if policy == .exact { return kind == .kernelRelease ? .ignored : .error }
    switch kind {
    case .compilerVersion:
      guard let found = found.flatMap({ SwiftVersion(parsing: $0) }),
        SwiftVersion(parsing: wanted)?.isSameMinor(as: found) == true
      else { return .error }
      return .warning
    case .target, .product, .host: return .error
    case .libarchive, .kernelRelease: return .ignored
    default: return .warning
    }
  }

  /// For example `compiler.version: 6.3.1 is wanted, 6.2 was found`.
  package var description: String {
    "\(fact): \(Self.short(wanted)) is wanted, \(found.map { Self.short($0) } ?? "nothing") was "
      + "found"
  }

  /// Digests are told apart by their first digits.
  private static func short(_ value: String) -> String {
    let prefix = "sha256:"
    guard value.hasPrefix(prefix), value.utf8.count > 24 else { return value }
    return String(value.prefix(prefix.utf8.count + 12)) + "…"
  }
}

extension ToolchainFacts {
  /// Compares facts with those that are wanted; what nobody wants does not count.
  ///
  /// - Returns: The most telling first, and of one kind by name.
  package func differences(from wanted: ToolchainFacts) -> [ToolchainDifference] {
    var result: [(rank: Int, difference: ToolchainDifference)] = []
    let kinds = ToolchainFactKind.allCases
    for (name, value) in wanted.values {
      guard let kind = ToolchainFactKind(of: name), let rank = kinds.firstIndex(of: kind) else {
        continue
      }
      let found: String?
      if kind == .kernelMinimum {
        found = values[name] ?? self[.kernelRelease]
        // In facts that were observed there is the release, which may be newer.
        if let release = self[.kernelRelease], Self.isKernel(release, atLeast: value) { continue }
      } else {
        found = values[name]
      }
      guard found != value else { continue }
      result.append((rank, ToolchainDifference(fact: name, wanted: value, found: found)))
    }
    return result.sorted { ($0.rank, $0.difference.fact) < ($1.rank, $1.difference.fact) }
      .map(\.difference)
  }

  /// Names of facts that this version does not know, sorted.
  package var unknownNames: [String] {
    values.keys.filter { ToolchainFactKind(of: $0) == nil }.sorted()
  }

  private static func isKernel(_ release: String, atLeast minimum: String) -> Bool {
    func numbers(_ text: String) -> [Int] {
      let digits = text.prefix { $0 == "." || ("0"..."9").contains($0) }
      let parts = digits.split(separator: ".").prefix(2).compactMap { Int($0) }
      return parts + Array(repeating: 0, count: 2 - parts.count)
    }
    return !numbers(release).lexicographicallyPrecedes(numbers(minimum))
  }
}

/// The toolchain of a run: where it is, why it is this one, and what is known of it.
package struct ToolchainRecord: Codable, Hashable, Sendable {
  /// Absolute path of the folder with its programs.
  package var path: String
  /// Why it is this one, for people.
  package var reason: String
  /// The policy that a manifest was held against; `nil` without a manifest.
  package var policy: ToolchainPolicy?
  package var facts: ToolchainFacts

  package init(
    path: String, reason: String, policy: ToolchainPolicy? = nil, facts: ToolchainFacts
  ) {
    self.path = path
    self.reason = reason
    self.policy = policy
    self.facts = facts
  }
}
