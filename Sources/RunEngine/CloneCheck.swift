import Glibc
import SystemFiles
package import Workers

/// The way in which a run's containers come to have the data of its seed intent, and why it is no
/// cheaper one.
package struct CloneChoice: Hashable, Sendable {
  package var way: CloneWay
  /// A clause without a full stop.
  package var reason: String

  package init(way: CloneWay, reason: String) {
    self.way = way
    self.reason = reason
  }
}

/// Finds out with real files, and a real process in a sandbox, how containers can be cloned.
enum CloneCheck {
  /// Finds out which way a run has.
  ///
  /// - Parameters:
  ///   - way: The one that was asked for; `nil` for the cheapest that works.
  ///   - plan: What the run's sandboxes are like; `nil` when it has none.
  ///   - folder: The folder of its containers.
  /// - Throws: ``RunEngineError`` with code `isolationUnavailable` when a way was asked for that
  ///   does not work.
  static func choose(
    _ way: CloneWay?, plan: SandboxPlan?, in folder: String
  ) throws(RunEngineError) -> CloneChoice {
    if way == .copy { return CloneChoice(way: .copy, reason: "it was asked for") }
    var reasons: [String] = []
    if way != .reflink {
      let problem = plan.map { overlayProblem(of: $0, in: folder) } ?? "there is no sandbox"
      guard let problem else {
        return CloneChoice(
          way: .overlay,
          reason: way == nil
            ? "a real process saw a template through one and left it as it was"
            : "it was asked for")
      }
      reasons.append("no overlay: \(problem)")
    }
    if way != .overlay {
      guard let problem = CloneWay.reflinkProblem(in: folder) else {
        reasons.append(way == nil ? "files share their blocks at \(folder)" : "it was asked for")
        return CloneChoice(way: .reflink, reason: reasons.joined(separator: "; "))
      }
      reasons.append("no reflinks at \(folder): \(problem)")
    }
    if let way {
      throw RunEngineError(
        .isolationUnavailable,
        "containers cannot be cloned by \(way.rawValue): \(reasons.joined(separator: "; "))")
    }
    return CloneChoice(way: .copy, reason: reasons.joined(separator: "; "))
  }

  /// Changes, hides, and replaces something of a template; prints what is seen of it.
  private static let script = """
    cd "$HOME" && cat file && echo b >> file && rm gone && rm -r folder && mkdir folder &&
    ls folder && echo d > folder/new && chmod 700 kept && cat kept/file && ls "$HOME/../layers"
    """

  /// Why containers cannot be overlays; `nil` when they can.
  static func overlayProblem(of plan: SandboxPlan, in folder: String) -> String? {
    let place = folder + "/clone-check"
    let template = Container(root: place + "/template")
    let container = Container(root: place + "/container", view: SandboxPlan.view)
    defer { removeTree(place) }
    do {
      for name in ["folder", "kept"] { try makeFolders("\(template.home)/\(name)", mode: 0o755) }
      try makeFolders(template.temporary)
      for name in ["file", "gone", "folder/old", "kept/file"] {
        try writeSmallFile("\(template.home)/\(name)", Array("a\n".utf8))
      }
      try writeSmallFile(template.index, [])
      let layers = try ContainerLayers.make(container, over: ContainerTemplate(template))
      let output = try Sandbox.output(
        of: script, plan.configuration(for: container, layers: layers),
        environment: ["HOME": SandboxPlan.view + "/home", "PATH": "/usr/bin:/bin"])
      let isUnchanged = ["file", "gone", "folder/old", "kept/file"].allSatisfy {
        readSmallFile("\(template.home)/\($0)") == Array("a\n".utf8)
      }
      try layers.flatten(container)
      let isWhole =
        readSmallFile(container.home + "/file") == Array("a\nb\n".utf8)
        && readSmallFile(container.home + "/kept/file") == Array("a\n".utf8)
        && folderEntries(container.home + "/folder") == ["new"]
        && Set(folderEntries(container.home) ?? []) == ["file", "folder", "kept"]
      guard output == "a\na\n", isUnchanged, isWhole else {
        return "what is written to one is not seen as it should be"
      }
      return nil
    } catch let error as WorkersError {
      // The advice is about the sandbox.
      return error.message + (error.cause.map { ": \($0)" } ?? "")
    } catch {
      return "\(error)"
    }
  }
}
