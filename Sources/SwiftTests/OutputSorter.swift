import RunModel
import Workers

/// Sorts what a process writes into its output streams by test: cuts the streams at the boundaries,
/// waits until the channel says whose output follows each of them, takes XCTest's own lines out,
/// and keeps the end of what belongs to no test.
struct OutputSorter: Sendable {
  /// A piece of a test's output.
  struct Piece: Sendable {
    var test: TestID
    var stream: ProcessStream
    var bytes: [UInt8]
  }

  private var splitters: [ProcessStream: OutputSplitter]
  /// For XCTest's standard output.
  private var lineFilter: ConsoleLineFilter?
  /// Whose output follows a boundary; `nil` for nobody's.
  private var owners: [Int: TestID?] = [0: nil]
  /// Output whose owner is not known yet.
  private var pending: [(sequence: Int, stream: ProcessStream, bytes: [UInt8])] = []
  private var sorted: [Piece] = []
  private var stray: [ProcessStream: StrayOutput] = [
    .stdout: StrayOutput(), .stderr: StrayOutput(),
  ]
  /// The last byte of output that was sorted, by stream.
  private var lastByte: [ProcessStream: UInt8] = [:]

  init(tests: [TestID], nonce: String) {
    let splitter = OutputSplitter(nonce: nonce)
    splitters = [.stdout: splitter, .stderr: splitter]
    if tests.first?.library == .xctest { lineFilter = ConsoleLineFilter(tests: tests) }
  }

  /// Number of the last boundary that was seen in both streams.
  var sequence: Int { splitters.values.map(\.sequence).min() ?? 0 }

  /// A finished test of which it is not decided yet whether its last line is its own.
  var undecided: TestID? { lineFilter?.undecided }

  /// Takes the pieces whose tests are known by now.
  mutating func take() -> [Piece] {
    defer { sorted = [] }
    return sorted
  }

  mutating func feed(_ stream: ProcessStream, _ bytes: UnsafeRawBufferPointer) {
    var pieces: [(Int, [UInt8])] = []
    splitters[stream]?.feed(bytes) { pieces.append(($0, Array($1))) }
    for (sequence, piece) in pieces { sort(sequence, stream, piece) }
  }

  mutating func setOwner(_ sequence: Int, _ test: TestID?) {
    owners[sequence] = .some(test)
    let known = pending
    pending = []
    for (number, stream, piece) in known { sort(number, stream, piece) }
  }

  /// The test that ran after a boundary, else the one before it.
  func owner(ofSequence sequence: Int) -> TestID? {
    if let owner = owners[sequence] ?? nil { return owner }
    return (owners[sequence - 1] ?? nil) ?? nil
  }

  /// Passes on what is held back at the end of the streams.
  ///
  /// - Parameter owner: Whose output it is that follows a boundary which no record told of.
  mutating func finish(owner: TestID?) {
    for stream in [ProcessStream.stdout, .stderr] {
      var rest: [(Int, [UInt8])] = []
      splitters[stream]?.finish { rest.append(($0, Array($1))) }
      for (sequence, piece) in rest { sort(sequence, stream, piece) }
    }
    var passed: [ConsoleLineFilter.Piece] = []
    lineFilter?.finish(section: splitters[.stdout]?.sequence ?? 0) { passed.append($0) }
    for piece in passed { deliver(piece.section, .stdout, piece.bytes, to: piece.test) }
    for (sequence, stream, piece) in pending { deliver(sequence, stream, piece, to: owner) }
    pending = []
  }

  /// Appends to a test's output what was written outside of any test from a boundary on, with a
  /// line that says so.
  mutating func append(strayFrom sequence: Int, to test: TestID) {
    for stream in [ProcessStream.stdout, .stderr] {
      let bytes = stray[stream]?.bytes(from: sequence) ?? []
      guard !bytes.isEmpty else { continue }
      let lineEnd = (lastByte[stream] ?? 10) == 10 ? "" : "\n"
      let mark = Array("\(lineEnd)[carrel: written outside of any test]\n".utf8)
      sorted.append(Piece(test: test, stream: stream, bytes: mark + bytes))
    }
  }

  /// What was written to standard error outside of any test from a boundary on.
  func strayErrors(from sequence: Int) -> String {
    String(decoding: stray[.stderr]?.bytes(from: sequence) ?? [], as: UTF8.self)
  }

  private mutating func sort(_ sequence: Int, _ stream: ProcessStream, _ piece: [UInt8]) {
    guard let owner = owners[sequence] else {
      pending.append((sequence, stream, piece))
      return
    }
    guard stream == .stdout, lineFilter != nil else {
      deliver(sequence, stream, piece, to: owner)
      return
    }
    var passed: [ConsoleLineFilter.Piece] = []
    lineFilter?.feed(piece, section: sequence, test: owner) { passed.append($0) }
    for piece in passed { deliver(piece.section, .stdout, piece.bytes, to: piece.test) }
  }

  private mutating func deliver(
    _ sequence: Int, _ stream: ProcessStream, _ bytes: [UInt8], to test: TestID?
  ) {
    if let test {
      sorted.append(Piece(test: test, stream: stream, bytes: bytes))
      lastByte[stream] = bytes.last
    } else {
      stray[stream]?.append(sequence, bytes)
    }
  }
}

/// The end of a stream's output outside of tests, with the boundaries that it followed.
private struct StrayOutput: Sendable {
  /// At least so many bytes are kept.
  static let limit = 1 << 16

  private var pieces: [(sequence: Int, bytes: [UInt8])] = []
  private var count = 0

  mutating func append(_ sequence: Int, _ bytes: [UInt8]) {
    pieces.append((sequence, bytes.suffix(Self.limit)))
    count += min(bytes.count, Self.limit)
    guard count > 2 * Self.limit else { return }
    let superfluous = pieces.indices.first { index in
      count -= pieces[index].bytes.count
      return count <= Self.limit
    }
    // The piece that goes over the limit stays.
    guard let superfluous else { return }
    count += pieces[superfluous].bytes.count
    pieces.removeFirst(superfluous)
  }

  func bytes(from sequence: Int) -> [UInt8] {
    let all = pieces.filter { $0.sequence >= sequence }.flatMap(\.bytes)
    return all.suffix(Self.limit)
  }
}
