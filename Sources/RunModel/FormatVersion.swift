/// A format's version: a reader accepts newer minor versions and refuses newer major ones.
package struct FormatVersion: CodedAsText, Hashable, Sendable {
  package static var kindOfText: String { "a format version" }

  package var major: Int
  package var minor: Int

  package init(major: Int, minor: Int) {
    self.major = major
    self.minor = minor
  }

  package init?(parsing text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
    guard parts.count == 2, let major = parts[0], let minor = parts[1], major >= 0, minor >= 0
    else { return nil }
    self.init(major: major, minor: minor)
  }

  package var description: String { "\(major).\(minor)" }
}
