// How long it takes to provide and remove a container with the data of a template of 1,000 files
// and 50 MB, by every way that works here, beside `cp -a` and `rm -r` of the same files.
//
// Usage: clone-benchmark FOLDER ROUNDS
//
// Prints a line for each way and round: its name, its seconds, and those of `cp -a` and `rm -r`
// that were measured right after it.

import Glibc
import RunModel
import SystemFiles
import Workers

/// Seconds that something takes.
func seconds(_ body: () throws -> Void) rethrows -> Double {
  let start = monotonicSeconds()
  try body()
  return monotonicSeconds() - start
}

struct Problem: Error { var text: String }

func run(_ words: String...) throws {
  let arguments = words.map { strdup($0) } + [nil]
  defer { for word in arguments { free(word) } }
  var process: pid_t = 0
  var status: Int32 = 0
  guard posix_spawnp(&process, words[0], nil, nil, arguments, environ) == 0,
    waitpid(process, &status, 0) == process, status == 0
  else { throw Problem(text: "\(words) does not work") }
}

/// Makes what all attempts start with.
func fill(_ home: String) throws {
  var random = SystemRandomNumberGenerator()
  for number in 0..<1000 {
    let folder = "\(home)/Documents/folder \(number % 20)"
    try makeFolders(folder)
    var bytes = [UInt8](repeating: 0, count: 50_000)
    for index in stride(from: 0, to: bytes.count, by: 16) { bytes[index] = random.next() }
    try writeSmallFile("\(folder)/file \(number)", bytes)
  }
}

/// The template, and where containers are made from it.
final class Benchmark {
  private let folder: String
  private let index: String
  private let root: WorkRoot
  private let loop: EventLoop
  private let template: ContainerTemplate

  /// - Parameter folder: Where everything is made.
  init(in folder: String) throws {
    self.folder = folder
    root = try WorkRoot(base: folder)
    root.view = "/tmp/carrel"
    loop = try EventLoop()
    index = root.path + "/index.sqlite"
    try writeSmallFile(index, [])
    let seeded = try root.prepare(worker: 0, indexTemplate: index)
    try fill(seeded.home)
    guard let kept = root.retire(seeded, keepsFiles: true) else {
      throw Problem(text: "the template is gone")
    }
    template = try ContainerTemplate(Container(root: kept, view: root.view))
  }

  func perform(rounds: Int) throws {
    defer { root.close() }
    let plain = try root.prepare(worker: 3, indexTemplate: index)
    let hasSandbox = Sandbox.problem() == nil
    let way: CloneWay = CloneWay.reflinkProblem(in: root.path) == nil ? .reflink : .copy
    for _ in 0..<rounds {
      // A container is new for the first batch of a worker and after a failure.
      for isNew in [true, false] {
        let suffix = isNew ? "new" : "again"
        if hasSandbox {
          // The difference of two times that are longer than itself.
          let repetitions = 10
          var more = 0.0
          for _ in 0..<repetitions {
            more += try seconds {
              let container = try provide(.overlay, worker: 1)
              try makeSandbox(container)
              remove(container, keepsFiles: isNew)
            }
            more -= try seconds { try makeSandbox(plain) }
          }
          try report("overlay, \(suffix)", more / Double(repetitions))
          if isNew { remove(try use(.overlay, worker: 1), keepsFiles: false) }
        }
        try report(
          "\(way.rawValue), \(suffix)",
          try seconds { remove(try provide(way, worker: 2), keepsFiles: isNew) })
        if isNew { remove(try use(way, worker: 2), keepsFiles: false) }
      }
      // Both begin as in a run.
      for worker in 1...2 { remove(root.container(worker: worker), keepsFiles: true) }
    }
  }

  private func provide(_ way: CloneWay, worker: Int) throws -> Container {
    var result: WorkersError??
    root.prepare(worker: worker, from: template, by: way, in: loop) { result = .some($0) }
    loop.run { result != nil }
    if let error = result.flatMap({ $0 }) { throw error }
    return root.container(worker: worker)
  }

  private func remove(_ container: Container, keepsFiles: Bool) {
    if let retired = root.retire(container, keepsFiles: keepsFiles) { removeTree(retired) }
  }

  /// Makes and ends an empty sandbox for a container, with its overlays if it has some.
  private func makeSandbox(_ container: Container) throws {
    var binds = [Sandbox.Bind(container.root, at: container.view, isWritable: true)]
    if let layers = root.layers(of: container) {
      binds += try layers.binds(of: container) + [container.layersCover]
    }
    _ = try Sandbox.output(of: ":", Sandbox.Configuration(binds: binds))
  }

  /// A container in which a test has touched twenty of the files.
  private func use(_ way: CloneWay, worker: Int) throws -> Container {
    let container = try provide(way, worker: worker)
    let home = way == .overlay ? container.layer("home").upper : container.home
    for number in 0..<10 {
      let path = "\(home)/Documents/folder \(number)"
      try makeFolders(path)
      unlink("\(path)/file \(number)")
      try writeSmallFile("\(path)/file \(number + 20)", [1])
      try writeSmallFile("\(path)/new", [1])
    }
    return container
  }

  private func report(_ way: String, _ own: Double) throws {
    let copy = folder + "/copy"
    let reference = try seconds {
      try run("cp", "-a", template.container.root, copy)
      try run("rm", "-r", copy)
    }
    print("\(way): \(own) \(reference)")
  }
}

guard CommandLine.arguments.count == 3, let rounds = Int(CommandLine.arguments[2]) else {
  print("usage: clone-benchmark FOLDER ROUNDS")
  exit(2)
}
try Benchmark(in: CommandLine.arguments[1]).perform(rounds: rounds)
