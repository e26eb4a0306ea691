import FoundationEssentials
import Glibc
import RunModel
import TestSupport
import Testing

extension EndToEnd {
  /// Bundles that were made to do harm, given to each command that reads one.
  @Suite struct HostileBundleTests {
    /// Rewrites a bundle: `more` is Python that adds entries to `out` before the list of contents,
    /// which is made anew.
    private static let rewrite = #"""
      import hashlib, io, json, sys, tarfile
      source, target, outside = sys.argv[1:4]
      old = tarfile.open(source)
      out = tarfile.open(target, "w", format=tarfile.PAX_FORMAT)
      lines = []
      def add(name, data=b"", kind=tarfile.REGTYPE, link="", mode=0o644):
          entry = tarfile.TarInfo(name)
          entry.type, entry.linkname, entry.size, entry.mode = kind, link, len(data), mode
          out.addfile(entry, io.BytesIO(data))
          line = {"path": name, "type": {b"5": "folder", b"2": "symlink"}.get(kind, "file"),
                  "mode": "%04o" % mode}
          if line["type"] == "file":
              line["size"], line["sha256"] = len(data), hashlib.sha256(data).hexdigest()
          if link: line["target"] = link
          lines.append(json.dumps(line))
      for entry in old:
          if entry.name == "contents.json": continue
          data = old.extractfile(entry).read() if entry.isfile() else b""
          add(entry.name, data, entry.type, entry.linkname, entry.mode)
      MORE
      text = '{"format":"1.0","entries":[\n' + ",\n".join(lines) + '\n],"notes":[\n'
      text += '],"sha256":"' + hashlib.sha256(text.encode()).hexdigest() + '"}\n'
      add("contents.json", text.encode())
      out.close()
      """#

    private func hostile(
      _ run: CarrelRun, _ more: String, outside: String
    ) async throws -> String {
      let path = run.folder.path(of: "hostile.tar")
      let script = Self.rewrite.replacing("MORE", with: more)
      let made = try await runProcess([
        "python3", "-c", script, try run.bundle(try run.test("testFails")), path, outside,
      ])
      #expect(made.status == 0, "\(made.errorText)")
      return path
    }

    private func failingRun() async throws -> CarrelRun {
      let run = try await Carrel.run(
        "Outcomes", "--filter", "BasicXCTests/testFails$", "--batch", "1", "--bundle-compression",
        "none")
      #expect(run.output.status == 1, "\(run)")
      return run
    }

    private func tree(_ folder: String) async throws -> String {
      let listed = try await runProcess([
        "find", folder, "-printf", "%P %y %m %s %l %T@\\n", "-type", "f", "-exec", "sha256sum",
        "{}", ";",
      ])
      return listed.text
    }

    /// Nothing outside of the folder changes, each entry is named, and reading and running again
    /// have the same guard.
    @Test func nothingOutsideIsTouched() async throws {
      let run = try await failingRun()
      let outside = run.folder.path(of: "outside")
      try FileManager.default.createDirectory(atPath: outside, withIntermediateDirectories: true)
      try "untouched".write(toFile: outside + "/file", atomically: false, encoding: .utf8)
      let before = try await tree(outside)
      let path = try await hostile(
        run,
        #"""
        add("container/../../x", b"evil")
        add(outside + "/x", b"evil")
        add("container/home/a/../../../../x", b"evil")
        add("container/home/L", kind=tarfile.SYMTYPE, link=outside, mode=0o777)
        add("container/home/L/x", b"evil")
        add("container/home/f", kind=tarfile.SYMTYPE, link=outside + "/file", mode=0o777)
        add("container/home/f", b"evil")
        add("container/home/hard", kind=tarfile.LNKTYPE, link=outside + "/file")
        add("container/home/fifo", kind=tarfile.FIFOTYPE)
        add("container/home/device", kind=tarfile.CHRTYPE)
        add("container/home/twice", b"1")
        add("container/home/twice", b"2")
        add("container/home/back\\slash\x1b]0;x\x07\r\n", b"text")
        """#, outside: outside)
      for arguments in [
        ["bundle", "list", path], ["bundle", "show", path], ["bundle", "verify", path],
        ["bundle", "list", path, "--format", "json"], ["bundle", "index", path],
      ] {
        let output = try await Carrel.invoke(arguments, folder: run.folder.path)
        #expect(output.status == 0 || output.status == 8, "\(arguments): \(output.allText)")
        #expect(isHarmless(output.stdout + output.stderr), "\(arguments)")
        #expect(try await tree(outside) == before)
      }
      for options in [[], ["--keep-links"]] {
        let target = run.folder.path(of: "extracted")
        let output = try await Carrel.invoke(["bundle", "extract", path, target] + options)
        #expect(output.status == 8, "\(output.allText)")
        for name in [
          "container/../../x", "\(outside)/x", "container/home/a/../../../../x",
          "container/home/hard", "container/home/fifo", "container/home/device",
          "container/home/twice",
        ] {
          #expect(output.errorText.contains("refused: '\(name)'"), "\(name): \(output.errorText)")
        }
        #expect(isHarmless(output.stdout + output.stderr))
        #expect(try await tree(outside) == before)
        #expect(!FileManager.default.fileExists(atPath: run.folder.path(of: "x")))
        try FileManager.default.removeItem(atPath: target)
      }
      let repro = try await Carrel.invoke([
        "repro", path, run.package.path, "--force", "--skip-build", "--container", "restored",
        "--output", run.folder.path(of: "again"),
      ])
      #expect([0, 8, 10, 11, 12].contains(repro.status), "\(repro.allText)")
      #expect(
        repro.errorText.contains("not restored from the bundle's container"), "\(repro.allText)")
      #expect(try await tree(outside) == before)
    }

    /// Bombs end at a documented limit, with nothing left and with little memory.
    @Test(arguments: ["zeros", "size", "depth"])
    func bombsStopAtALimit(kind: String) async throws {
      let run = try await failingRun()
      let path = run.folder.path(of: "bomb.tar.zst")
      let more =
        switch kind {
        case "zeros":
          """
          entry = tarfile.TarInfo("container/home/zeros"); entry.size = 4 << 30
          class Zeros:
              def read(self, count): return bytes(count)
          out.addfile(entry, Zeros())
          """
        case "size":
          """
          entry = tarfile.TarInfo("container/home/large"); entry.size = 1 << 60
          out.fileobj.write(entry.tobuf(tarfile.PAX_FORMAT))
          """
        default:
          """
          add("container/" + "d/" * 5000 + "f", b"deep")
          """
        }
      // Through a compressor, for what the archive says is far more than a disk should hold.
      let script =
        Self.rewrite.replacing("MORE", with: more)
        .replacing(
          #"out = tarfile.open(target, "w", "#,
          with: """
            import subprocess
            zstd = subprocess.Popen(["zstd", "-q", "-o", target], stdin=subprocess.PIPE)
            out = tarfile.open(fileobj=zstd.stdin, mode="w|", \

            """) + "\nzstd.stdin.close(); assert zstd.wait() == 0\n"
      let made = try await runProcess(
        ["python3", "-c", script, try run.bundle(try run.test("testFails")), path, ""],
        environment: Carrel.variables(adding: [:]), timeout: 120)
      #expect(made.status == 0, "\(made.errorText)")
      let target = run.folder.path(of: "extracted")
      for arguments in [
        ["bundle", "list", path], ["bundle", "verify", path], ["bundle", "extract", path, target],
        ["repro", path, run.package.path],
      ] {
        // A limit on memory that a bundle's contents would not fit into.
        let output = try await runProcess(
          [
            "bash", "-c", #"ulimit -v 4000000 && exec "$@""#, "bash", Carrel.executable,
          ] + arguments, environment: Carrel.variables(adding: [:]), timeout: 120)
        #expect(output.status == 8, "\(arguments) \(output.end): \(output.errorText)")
        #expect(output.errorText.contains("bomb.tar.zst"), "\(output.errorText.suffix(500))")
        #expect(output.errorText.contains("more than"), "\(output.errorText.suffix(500))")
      }
      #expect(!FileManager.default.fileExists(atPath: target))
    }
  }
}
