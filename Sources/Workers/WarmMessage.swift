// What Carrel and a warm process tell each other through a socket that keeps the boundaries of
// messages.
//
// Carrel sends ``WarmRequest/header(namespaces:groups:capabilities:)`` with four to seven
// descriptors: standard output, standard error, the channel, a file with
// ``ProcessRequest/encoded``, a pidfd of the first process of the batch's sandbox if there is one,
// and the files by which the copy joins its control groups. The warm process answers with
// ``WarmReply``. Its side is in `Observer/warm.c.in`; both are made from one source, so the format
// has no version.

/// What a warm process is asked for.
enum WarmRequest {
  /// What is sent with the descriptors: two numbers of 32 bits and one of 64, in the order of the
  /// machine.
  ///
  /// - Parameters:
  ///   - namespaces: Those of the sandbox, as setns(2) wants them; 0 for none.
  ///   - groups: Number of control groups.
  ///   - capabilities: Bit i for each capability that the copy may have in its sandbox.
  static func header(namespaces: Int32, groups: Int, capabilities: UInt64) -> [UInt8] {
    withUnsafeBytes(of: namespaces) { Array($0) } + withUnsafeBytes(of: Int32(groups)) { Array($0) }
      + withUnsafeBytes(of: capabilities) { Array($0) }
  }
}

/// What a warm process says.
enum WarmReply: Hashable {
  /// It could be copied now.
  case ready(WarmState)
  /// A copy was made and has been adopted.
  case started(pid: Int32)
  /// No copy could be made; with the number of the system's error, 1 to 4095.
  case failed(errorNumber: Int32)

  /// Bytes of an encoded reply: four numbers of 32 bits in the order of the machine.
  static let size = 16

  /// - Returns: `nil` when this is no reply.
  init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.size else { return nil }
    let words = stride(from: 0, to: Self.size, by: 4).map { offset in
      bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: Int32.self) }
    }
    switch (words[0], words[1]) {
    case (1, _):
      self = .ready(
        WarmState(
          threads: Int(words[1]), openDescriptors: Int(words[2]), sharedMappings: Int(words[3])))
    case (2, 1...): self = .started(pid: words[1])
    case (2, -4095...(-1)): self = .failed(errorNumber: -words[1])
    default: return nil
    }
  }
}

/// What a warm process is like at the moment when the library is about to run tests.
struct WarmState: Hashable {
  var threads: Int
  /// Number of descriptors that the executable has opened; below 0 when libdispatch is not as it is
  /// known to be.
  var openDescriptors: Int
  /// Number of mappings of memory that its copies would share, and can write to.
  var sharedMappings = 0

  /// Why copies of the process would not be what a new process is, if so.
  var objection: String? {
    if threads != 1 { return "it has \(threads) threads before the tests run" }
    if openDescriptors < 0 { return "its libdispatch is of an unknown kind" }
    if sharedMappings > 0 { return "it shares memory with its copies" }
    if openDescriptors > 0 { return "it has open files before the tests run" }
    return nil
  }
}
