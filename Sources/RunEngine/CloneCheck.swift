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

/// Finds out with real files, and a real process in a sandbox, how containers can be cloned. It has
/// to be kept until its result was told.
final class CloneCheck {
  typealias Handler = (Result<CloneChoice, RunEngineError>) -> Void

  private let way: CloneWay?
  private let plan: SandboxPlan?
  private let folder: String
  private let supervision: Sandbox.Supervision
  private let handler: Handler
  private var script: SandboxScript?

  /// - Parameters:
  ///   - way: The one that was asked for; `nil` for the cheapest that works.
  ///   - plan: What the run's sandboxes are like; `nil` when it has none.
  ///   - folder: The folder of its containers.
  ///   - handler: Given the way; or a ``RunEngineError`` with code `isolationUnavailable` when one
  ///     was asked for that does not work. Called once, in the loop or within ``start()``.
  init(
    _ way: CloneWay?, plan: SandboxPlan?, in folder: String, using supervision: Sandbox.Supervision,
    then handler: @escaping Handler
  ) {
    self.way = way
    self.plan = plan
    self.folder = folder
    self.supervision = supervision
    self.handler = handler
  }

  /// Does the same and runs the loop meanwhile.
  ///
  /// - Parameter supervision: As for ``Sandbox/output(of:_:environment:using:until:)``, like
  ///   `isOver`.
  /// - Throws: What the handler of ``init(_:plan:in:using:then:)`` is given.
  static func choose(
    _ way: CloneWay?, plan: SandboxPlan?, in folder: String, using supervision: Sandbox.Supervision,
    until isOver: () -> Bool = { false }
  ) throws(RunEngineError) -> CloneChoice {
    var result: Result<CloneChoice, RunEngineError>?
    let check = CloneCheck(way, plan: plan, in: folder, using: supervision) { result = $0 }
    check.start()
    supervision.loop.run { result != nil || isOver() }
    if result == nil {
      check.cancel()
      supervision.loop.run { result != nil }
    }
    return try withExtendedLifetime(check) { () throws(RunEngineError) in
      guard let result else {
        throw RunEngineError(.isolationUnavailable, "the way of cloning was not waited for")
      }
      return try result.get()
    }
  }

  func start() {
    switch way {
    case .copy: handler(.success(CloneChoice(way: .copy, reason: Self.wasAskedFor)))
    case .reflink: tryReflinks([])
    case .overlay, nil:
      guard let plan else { return overlayTried("there is no sandbox") }
      tryOverlay(plan)
    }
  }

  /// Ends the process that tries an overlay; the handler is told that there is none.
  func cancel() { script?.cancel() }

  private static let wasAskedFor = "it was asked for"

  private func overlayTried(_ problem: String?) {
    guard let problem else {
      let reason = "a real process saw a template through one and left it as it was"
      return handler(
        .success(CloneChoice(way: .overlay, reason: way == nil ? reason : Self.wasAskedFor)))
    }
    let reasons = ["no overlay: \(problem)"]
    if way == .overlay { return refuse(.overlay, reasons) }
    tryReflinks(reasons)
  }

  private func tryReflinks(_ before: [String]) {
    var reasons = before
    guard let problem = CloneWay.reflinkProblem(in: folder) else {
      reasons.append(way == nil ? "files share their blocks at \(folder)" : Self.wasAskedFor)
      return handler(
        .success(CloneChoice(way: .reflink, reason: reasons.joined(separator: "; "))))
    }
    reasons.append("no reflinks at \(folder): \(problem)")
    if way == .reflink { return refuse(.reflink, reasons) }
    handler(.success(CloneChoice(way: .copy, reason: reasons.joined(separator: "; "))))
  }

  private func refuse(_ way: CloneWay, _ reasons: [String]) {
    handler(
      .failure(
        RunEngineError(
          .isolationUnavailable,
          "containers cannot be cloned by \(way.rawValue): \(reasons.joined(separator: "; "))")))
  }

  /// Changes, hides, and replaces something of a template; prints what is seen of it.
  private static let text = """
    cd "$HOME" && cat file && echo b >> file && rm gone && rm -r folder && mkdir folder &&
    ls folder && echo d > folder/new && chmod 700 kept && cat kept/file && ls "$HOME/../layers"
    """

  private var place: String { folder + "/clone-check" }
  private static let files = ["file", "gone", "folder/old", "kept/file"]
  private static let content = Array("a\n".utf8)

  private func tryOverlay(_ plan: SandboxPlan) {
    let template = Container(root: place + "/template")
    let container = Container(root: place + "/container", view: SandboxPlan.view)
    do {
      for name in ["folder", "kept"] { try makeFolders("\(template.home)/\(name)", mode: 0o755) }
      try makeFolders(template.temporary)
      for name in Self.files { try writeSmallFile("\(template.home)/\(name)", Self.content) }
      try writeSmallFile(template.index, [])
      let layers = try ContainerLayers.make(container, over: ContainerTemplate(template))
      script = try SandboxScript(
        Self.text, in: plan.configuration(for: container, layers: layers),
        environment: ["HOME": SandboxPlan.view + "/home", "PATH": "/usr/bin:/bin"],
        using: supervision
      ) { [unowned self] result in
        let problem = problem(result, template, container, layers)
        removeTree(place)
        overlayTried(problem)
      }
    } catch {
      removeTree(place)
      overlayTried(Self.explanation(of: error))
    }
  }

  /// What is wrong with what a process saw and left.
  private func problem(
    _ result: Result<String, WorkersError>, _ template: Container, _ container: Container,
    _ layers: ContainerLayers
  ) -> String? {
    do throws(WorkersError) {
      let output = try result.get()
      let isUnchanged = Self.files.allSatisfy {
        readSmallFile("\(template.home)/\($0)") == Self.content
      }
      try layers.flatten(container)
      let isWhole =
        readSmallFile(container.home + "/file") == Array("a\nb\n".utf8)
        && readSmallFile(container.home + "/kept/file") == Self.content
        && folderEntries(container.home + "/folder") == ["new"]
        && Set(folderEntries(container.home) ?? []) == ["file", "folder", "kept"]
      guard output == "a\na\n", isUnchanged, isWhole else {
        return "what is written to one is not seen as it should be"
      }
      return nil
    } catch {
      return Self.explanation(of: error)
    }
  }

  private static func explanation(of error: any Error) -> String {
    guard let error = error as? WorkersError else { return "\(error)" }
    // The advice is about the sandbox.
    return error.message + (error.cause.map { ": \($0)" } ?? "")
  }
}
