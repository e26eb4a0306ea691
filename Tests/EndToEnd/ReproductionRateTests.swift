import FoundationEssentials
import RunModel
import TestSupport
import Testing
import Workers

extension EndToEnd {
  /// Failures of 30 kinds, and how many of them come from their bundles again.
  @Suite struct ReproductionRateTests {
    /// The run has variables, a mask and workers that the reproductions are not given.
    @Test(.enabled(if: Sandbox.problem() == nil, "one test has to be kept from its package"))
    func bundlesReproduceInAnotherCopy() async throws {
      let package = try await FixturePackage.prepare("Reproduction")
      let folder = try TemporaryFolder()
      let output = try await ChildProcess(
        [
          "/bin/sh", "-c", "umask \(ReproductionTable.fileMask); exec \"$@\"", "sh",
          Carrel.executable, "run", package.path, "--skip-build", "--quiet", "--output",
          folder.path(of: "runs"),
        ] + ReproductionTable.options,
        environment: Carrel.variables(adding: ReproductionTable.environment), timeout: 120
      ).output()
      let run = CarrelRun(package: package, output: output, folder: folder)
      let table = ReproductionTable.failing + ReproductionTable.passing
      #expect(ReproductionTable.failing.count == 30)
      let differences = try run.differences(from: table)
      #expect(differences.isEmpty, "\(differences.joined(separator: "\n"))\n\(run)")

      let copy = try await FixturePackage.prepare("Reproduction", in: "Kopie für Zoë")
      var others: [String] = []
      for test in try run.state.tests where !test.result.verdict.isSuccess(leaksFail: true) {
        let repro = try await Carrel.invoke(
          [
            "repro", try run.bundle(test, attempt: 1), copy.path, "--skip-build", "--output",
            folder.path(of: "repro"),
          ], folder: "/")
        if repro.status == 0 {
          #expect(repro.text.contains("REPRODUCED: "), "\(repro.allText)")
        } else {
          others.append("\(test.id): \(repro.status)\n\(repro.allText)")
          let words = ["PASSED: ", "FAILED DIFFERENTLY: "]
          #expect(words.contains { repro.text.contains($0) }, "\(repro.allText)")
        }
      }
      #expect(others.count <= 1, "\(others.joined(separator: "\n"))")
    }

    /// A test that does not fail alone is run once more after those that ran before it.
    @Test func predecessorsRunWhenTheyAreNeeded() async throws {
      let run = try await Carrel.run(
        "Reproduction", "--filter", "CompanyTests", "--batch", "1000", "--company-check", "off")
      #expect(run.output.status == 1, "\(run)")
      let bundle = try run.bundle(try run.test("c_isInThePackage()"))
      func repro(_ options: String...) async throws -> ProcessOutput {
        try await Carrel.invoke(
          ["repro", bundle, run.package.path, "--skip-build"] + options + [
            "--output", run.folder.path(of: "repro"),
          ])
      }
      let needed = try await repro()
      #expect(needed.status == 0, "\(needed.allText)")
      let parts = ["PASSED: ", "\nonce more, after the tests that ran before it", "\nREPRODUCED: "]
      let places = parts.map { needed.text.firstRange(of: $0)?.lowerBound }
      #expect(!places.contains(nil), "\(needed.text)")
      #expect(places.compactMap { $0 }.sorted() == places.compactMap { $0 }, "\(needed.text)")

      let alone = try await repro("--alone")
      #expect(alone.status == 10, "\(alone.allText)")
      #expect(alone.text.contains("--with-predecessors runs them first"), "\(alone.text)")
      let fresh = try await repro("--container", "fresh")
      #expect(fresh.status == 10, "\(fresh.allText)")
      let atOnce = try await repro("--with-predecessors")
      #expect(atOnce.status == 0 && !atOnce.text.contains("once more"), "\(atOnce.allText)")
      let both = try await repro("--alone", "--with-predecessors")
      #expect(both.status == 2, "\(both.allText)")

      // What the container holds is enough here.
      let file = try run.bundle(try run.test("b_hasTheDefaultTheme()"))
      let restored = try await Carrel.invoke([
        "repro", file, run.package.path, "--skip-build", "--output", run.folder.path(of: "repro"),
      ])
      #expect(restored.status == 0 && !restored.text.contains("once more"), "\(restored.allText)")
    }
  }
}
