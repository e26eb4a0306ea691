/// Paths in the home folder: where programs look for them in a container, and where the user has
/// them.
///
/// The variables of the XDG base directory specification lead to other folders in a container than
/// they do by default, so what lies in one of those is looked for in two places.
package enum HomePath {
  /// Folders of the user's home with those of the container's that the same variable leads to.
  private static let folders = [
    (outside: ".cache", inside: "Library/Caches"),
    (outside: ".config", inside: "Library/Preferences"),
    (outside: ".local/share", inside: "Library/Application Support"),
    (outside: ".local/state", inside: "Library/State"),
  ]

  /// The path of something in the user's home, relative to it.
  ///
  /// - Parameters:
  ///   - path: As somebody wrote it: relative to the home folder, beginning with `~/`, or absolute.
  ///   - home: The home folder of the user; `nil` when nobody knows it.
  /// - Returns: `nil` when it is the folder itself, or lies elsewhere.
  package static func name(of path: String, in home: String?) -> String? {
    var rest = path[...]
    if path.hasPrefix("~/") {
      rest = path.dropFirst(2)
    } else if path.hasPrefix("/") {
      guard let home, path.hasPrefix(home + "/") else { return nil }
      rest = path.dropFirst(home.count + 1)
    }
    let parts = rest.split(separator: "/").filter { $0 != "." }
    guard !parts.isEmpty, !parts.contains(".."), parts[0] != "~" else { return nil }
    return parts.joined(separator: "/")
  }

  /// Where a path of the user's home is to be seen in the container's: under its own name first.
  ///
  /// - Parameter name: Relative to the home folder.
  package static func namesInside(ofOutside name: String) -> [String] {
    [name] + folders.compactMap { moved(name, from: $0.outside, to: $0.inside) }
  }

  /// Where a path of the container's home may lie in the user's: under its own name first.
  package static func namesOutside(ofInside name: String) -> [String] {
    [name] + folders.compactMap { moved(name, from: $0.inside, to: $0.outside) }
  }

  /// The folder or file that is to be named to show a path: what belongs to one program, and not
  /// all that programs keep.
  package static func worthShowing(_ name: String) -> String {
    let parts = name.split(separator: "/")
    let shared = folders.map(\.outside).first { name.hasPrefix($0 + "/") }
    let depth = shared.map { $0.split(separator: "/").count } ?? 0
    return parts.prefix(depth + 1).joined(separator: "/")
  }

  private static func moved(_ name: String, from old: String, to new: String) -> String? {
    name.hasPrefix(old + "/") ? new + name.dropFirst(old.utf8.count) : nil
  }
}
