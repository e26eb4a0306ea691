package import RunModel

/// Which toolchain is wanted, as a `.swift-version` file says it.
package enum ToolchainRequirement: Hashable, Sendable {
  /// The release of exactly this version.
  case release(SwiftVersion)
  /// The newest installed release whose first numbers are these: `6` or `6.3`.
  case newestRelease([Int])
  /// A snapshot of the main branch (`branch` is `nil`) or of a release branch (`6.3`), of a day
  /// like `2026-01-31`, or the newest installed one (`day` is `nil`).
  case snapshot(branch: String?, day: String?)

  /// Reads one of the spellings of docs/toolchain-manifest.md.
  package init?(parsing text: String) {
    if text == "latest" {
      self = .newestRelease([])
    } else if let requirement = Self.named(text) ?? Self.snapshot(text) {
      self = requirement
    } else if let version = SwiftVersion(parsing: text), !version.isDevelopment {
      let count = text.split(separator: ".").count
      self = count == 3 ? .release(version) : .newestRelease(Array(version.numbers[..<count]))
    } else {
      return nil
    }
  }

  /// The names of toolchains as swift.org has them: `swift-6.3.1-RELEASE`,
  /// `swift-DEVELOPMENT-SNAPSHOT-2026-01-31-a`, `swift-6.3-DEVELOPMENT-SNAPSHOT-2026-01-31-a`.
  private static func named(_ text: String) -> ToolchainRequirement? {
    guard text.hasPrefix("swift-") else { return nil }
    let name = text.dropFirst("swift-".count)
    if name.hasSuffix("-RELEASE") {
      return SwiftVersion(parsing: name.dropLast("-RELEASE".count)).flatMap {
        $0.isDevelopment ? nil : .release($0)
      }
    }
    let parts = name.components(around: "DEVELOPMENT-SNAPSHOT-")
    guard let (branch, rest) = parts, rest.hasSuffix("-a"), let day = day(rest.dropLast(2)) else {
      return nil
    }
    if branch.isEmpty { return .snapshot(branch: nil, day: day) }
    guard branch.hasSuffix("-"), isBranch(branch.dropLast()) else { return nil }
    return .snapshot(branch: String(branch.dropLast()), day: day)
  }

  /// `main-snapshot`, `6.3-snapshot`, both also followed by `-2026-01-31`.
  private static func snapshot(_ text: String) -> ToolchainRequirement? {
    guard let (branch, rest) = text[...].components(around: "-snapshot") else { return nil }
    guard branch == "main" || isBranch(branch) else { return nil }
    let name = branch == "main" ? nil : String(branch)
    if rest.isEmpty { return .snapshot(branch: name, day: nil) }
    guard rest.hasPrefix("-"), let day = day(rest.dropFirst()) else { return nil }
    return .snapshot(branch: name, day: day)
  }

  private static func isBranch(_ text: Substring) -> Bool {
    guard let version = SwiftVersion(parsing: text), !version.isDevelopment else { return false }
    return text.split(separator: ".").count == 2
  }

  private static func day(_ text: Substring) -> String? {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    let isDay =
      parts.map(\.utf8.count) == [4, 2, 2]
      && parts.allSatisfy { $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }
    return isDay ? String(text) : nil
  }
}

extension ToolchainRequirement {
  /// Whether a toolchain is meant.
  ///
  /// - Parameters:
  ///   - version: What the compiler says of itself.
  ///   - folder: Where the toolchain is; only the name of a snapshot's folder has its day.
  package func isMet(by version: SwiftVersion, in folder: String) -> Bool {
    switch self {
    case .release(let wanted):
      return !version.isDevelopment && version.numbers == wanted.numbers
        && Self.snapshotName(in: folder) == nil
    case .newestRelease(let prefix):
      return !version.isDevelopment && version.numbers.starts(with: prefix)
        && Self.snapshotName(in: folder) == nil
    case .snapshot(let branch, let day):
      guard let name = Self.snapshotName(in: folder),
        case .snapshot(branch, let found) = name
      else { return false }
      return day == nil || day == found
    }
  }

  /// The day of a snapshot's folder, to find the newest.
  package static func day(ofSnapshotIn folder: String) -> String? {
    guard case .snapshot(_, let day) = snapshotName(in: folder) else { return nil }
    return day
  }

  /// What the name of a folder on the way to a toolchain says about the snapshot in it.
  private static func snapshotName(in folder: String) -> ToolchainRequirement? {
    for component in folder.split(separator: "/").reversed() {
      // Archives of swift.org are unpacked as swift-…-SNAPSHOT-DAY-a-debian12.
      var name = String(component)
      if let (before, rest) = component.components(around: "-SNAPSHOT-"), rest.utf8.count > 12 {
        name = "\(before)-SNAPSHOT-\(rest.prefix(12))"
      }
      if let found = named(name) ?? snapshot(name), case .snapshot(_, .some) = found {
        return found
      }
    }
    return nil
  }
}

extension ToolchainRequirement: CustomStringConvertible {
  package var description: String {
    switch self {
    case .release(let version): "Swift \(version)"
    case .newestRelease(let prefix):
      prefix.isEmpty
        ? "any release" : "a release \(prefix.map { "\($0)." }.joined())x"
    case .snapshot(let branch, let day):
      "a snapshot of \(branch ?? "main")" + (day.map { " of \($0)" } ?? "")
    }
  }
}

extension Substring {
  /// What stands before and after the first place of a text; `nil` when it is not there.
  fileprivate func components(around separator: String) -> (Substring, Substring)? {
    guard let range = firstRange(of: separator) else { return nil }
    return (self[..<range.lowerBound], self[range.upperBound...])
  }
}

/// The file `.swift-version` that says for a folder and those below it which toolchain is wanted.
package struct SwiftVersionFile: Hashable, Sendable {
  package static let name = ".swift-version"

  /// Absolute path.
  package var path: String
  /// What it says, without comments.
  package var text: String
  package var requirement: ToolchainRequirement

  /// - Parameter bytes: The content. Lines end with a line feed, before which a carriage return may
  ///   stand; `#` begins a comment; white space around the version does not count.
  /// - Throws: ``SwiftTestsError`` with the code `invalidToolchainRequest` when there is not
  ///   exactly one version, or a spelling that is not known.
  package init(path: String, content bytes: [UInt8]) throws(SwiftTestsError) {
    self.path = path
    func invalid(_ reason: String) -> SwiftTestsError {
      SwiftTestsError(
        .invalidToolchainRequest,
        "\(path) \(reason); write one version, like 6.3.1, 6.3, main-snapshot or "
          + "main-snapshot-2026-01-31, or remove the file", context: ["path": path])
    }
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let lines = bytes.dropFirst(bytes.starts(with: mark) ? mark.count : 0)
      .split { $0 == 0x0A || $0 == 0x0D }
      .map { line in
        String(decoding: line.prefix { $0 != UInt8(ascii: "#") }, as: UTF8.self)
          .split { $0 == " " || $0 == "\t" }.joined(separator: " ")
      }.filter { !$0.isEmpty }
    guard let text = lines.first else { throw invalid("names no version") }
    guard lines.count == 1 else { throw invalid("names \(lines.count) versions") }
    guard let requirement = ToolchainRequirement(parsing: text) else {
      throw invalid("names '\(text.prefix(100))', which is no version of Swift")
    }
    self.text = text
    self.requirement = requirement
  }
}
