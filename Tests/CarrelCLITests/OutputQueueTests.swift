import Glibc
import SystemFiles
import TestSupport
import Testing
import Workers

@testable import CarrelCLI

@Suite struct OutputQueueTests {
  private func put(_ queue: OutputQueue, _ text: String, to descriptor: Int32) {
    Array(text.utf8).withUnsafeBytes { queue.put($0, to: descriptor) }
  }

  /// Reads until the writing end is closed.
  private func readAll(_ descriptor: Int32) -> [UInt8] {
    var result: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while case let count = read(descriptor, &buffer, buffer.count), count > 0 {
      result += buffer[..<count]
    }
    return result
  }

  /// With everything in memory, with most of it in a file, and with each piece in one.
  @Test(arguments: [1 << 30, 10_000, 0]) func nobodyWaitsForASlowReader(limit: Int) throws {
    let pipe = try Pipe()
    defer { close(pipe.reader) }
    let queue = OutputQueue(limit: limit)
    // Several times what a pipe takes, while nobody reads from it.
    let lines = (0..<20_000).map { "line \($0) " + String(repeating: "x", count: $0 % 40) + "\n" }
    for line in lines { put(queue, line, to: pipe.writer) }
    #expect(!queue.isEmpty)
    let written = startThread {
      queue.flush()
      close(pipe.writer)
    }
    let bytes = readAll(pipe.reader)
    pthread_join(written, nil)
    #expect(bytes == Array(lines.joined().utf8))
    #expect(queue.isEmpty && queue.failure(of: pipe.writer) == nil)
  }

  @Test(arguments: [1 << 20, 0]) func bothOutputsKeepTheirOrder(limit: Int) throws {
    let folder = try TemporaryFolder()
    let path = folder.path(of: "both")
    let descriptors = (0..<2).map { _ in open(path, O_WRONLY | O_CREAT | O_APPEND, 0o600) }
    defer { for descriptor in descriptors { close(descriptor) } }
    let queue = OutputQueue(limit: limit)
    for number in 0..<1000 { put(queue, "\(number)\n", to: descriptors[number % 2]) }
    queue.flush()
    let wanted = (0..<1000).map { "\($0)\n" }.joined()
    #expect(String(decoding: readSmallFile(path) ?? [], as: UTF8.self) == wanted)
  }

  @Test func whatCannotBeWrittenIsDroppedAndTold() throws {
    let folder = try TemporaryFolder()
    let full = open("/dev/full", O_WRONLY)
    let other = open(folder.path(of: "other"), O_WRONLY | O_CREAT, 0o600)
    defer {
      close(full)
      close(other)
    }
    let queue = OutputQueue()
    for _ in 0..<3 {
      put(queue, "lost", to: full)
      put(queue, "kept", to: other)
    }
    queue.flush()
    #expect(queue.failure(of: full) == ENOSPC && queue.failure(of: other) == nil)
    #expect(readSmallFile(folder.path(of: "other")) == Array("keptkeptkept".utf8))
  }

  @Test func aTerminalTellsWhyNotEverythingIsWritten() throws {
    let full = open("/dev/full", O_WRONLY)
    defer { close(full) }
    for queue in [nil, OutputQueue()] {
      let output = Terminal(descriptor: full)
      output.queue = queue
      #expect(output.flush() == nil)
      output.print("text")
      #expect(output.flush() == ENOSPC)
      // Nobody misses what was not printed.
      let closed = Terminal(descriptor: full, isClosed: true)
      closed.queue = queue
      #expect(queue != nil || closed.flush() == nil)
      closed.print("text")
      #expect(closed.flush() == EBADF)
    }
  }
}
