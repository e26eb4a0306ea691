import Glibc
import SystemFiles
import TestSupport
import Testing
import Workers

@testable import RunEngine

extension RunsProcesses {
  @Suite struct CloneDecisionTests {
    private let folder: TemporaryFolder
    private let root: WorkRoot
    private let supervision: Sandbox.Supervision

    init() throws {
      folder = try TemporaryFolder(name: "ä b")
      root = try WorkRoot(base: folder.path)
      supervision = try Sandbox.ownSupervision()
    }

    /// - Parameter files: How many it has; more than 100 are not simply copied.
    private func template(files: Int) throws -> ContainerTemplate {
      let container = Container(root: root.path + "/template")
      for folder in [container.home, container.temporary] { try makeFolders(folder) }
      try writeSmallFile(container.index, [])
      for number in 0..<files { try writeSmallFile("\(container.home)/\(number)", []) }
      return try ContainerTemplate(container)
    }

    private func decision(_ choice: CloneChoice? = nil) throws -> CloneDecision {
      let plan = try SandboxPlan(IsolationRequest(), needed: [], folder: root.path)
      return CloneDecision(choice, plan: plan, in: root.path, using: supervision)
    }

    @Test func whatIsKnownIsSaidAtOnce() throws {
      let few = try template(files: 3)
      let asked = try decision(CloneChoice(way: .reflink, reason: "it was asked for"))
      let found = try decision()
      var ways: [CloneWay?] = []
      asked.whenMade(for: few) { ways.append($0) }
      found.whenMade(for: few) { ways.append($0) }
      #expect(ways == [.reflink, .copy])
      #expect(asked.takeReason() == nil, "the header says it")
      #expect(found.takeReason()?.contains("so few files") == true)
      #expect(found.takeReason() == nil)
    }

    /// What the loop has to do meanwhile does not wait for the check.
    @Test(.enabled(if: Sandbox.problem() == nil, "no sandbox can be made here"))
    func theLoopGoesOnMeanwhile() throws {
      let template = try template(files: 200)
      let decision = try decision()
      var said: [String] = []
      for _ in 1...2 {
        decision.whenMade(for: template) { said.append("way \($0?.rawValue ?? "")") }
      }
      #expect(said.isEmpty)
      supervision.loop.after(0) { said.append("other") }
      supervision.loop.run { said.count == 3 }
      let way = try #require(decision.choice).way.rawValue
      #expect(said == ["other", "way \(way)", "way \(way)"])
      #expect(decision.takeReason()?.isEmpty == false)
      #expect(Set(folderEntries(root.path) ?? []).isDisjoint(with: ["clone-check"]))
    }

    @Test(.enabled(if: Sandbox.problem() == nil, "no sandbox can be made here"))
    func theEndOfTheRunEndsTheCheck() throws {
      let template = try template(files: 200)
      let decision = try decision()
      var ways: [CloneWay?] = []
      decision.whenMade(for: template) { ways.append($0) }
      decision.cancel()
      supervision.loop.run { ways.count == 1 }
      #expect(ways == [nil] && decision.choice == nil)
      decision.whenMade(for: template) { ways.append($0) }
      #expect(ways == [nil, nil])
      #expect(Set(folderEntries(root.path) ?? []).isDisjoint(with: ["clone-check"]))
    }
  }
}
