/// A process that outlived the test that started it.
package struct LeakedProcess: Codable, Hashable, Sendable {
  /// A pipe of the test's process.
  package enum Pipe: String, Codable, Sendable, CaseIterable {
    case stdout, stderr
    /// The one for the observer's records.
    case channel
  }

  /// A socket at which somebody can be reached.
  package struct Socket: Codable, Hashable, Sendable, CustomStringConvertible {
    package enum Kind: String, Codable, Sendable {
      case tcp, udp, unix
    }

    package var kind: Kind
    /// `127.0.0.1:8080`, `[::1]:8080`, a path, or `@` and the name of an abstract socket.
    package var address: String

    package init(kind: Kind, address: String) {
      self.kind = kind
      self.address = address.limitedName
    }

    package var description: String { "\(kind.rawValue) \(address)" }

    private enum CodingKeys: String, CodingKey {
      case kind = "protocol"
      case address
    }
  }

  package var pid: Int32
  /// The command line, arguments separated by spaces.
  package var command: String
  /// Pipes of the test's process that it kept open, if any.
  package private(set) var pipes: [Pipe]?
  /// Sockets that it was listening at, if any; the first of them.
  package private(set) var sockets: [Socket]?

  /// Sockets of a process that are kept.
  package static let maxSockets = 20

  package init(pid: Int32, command: String, pipes: [Pipe] = [], sockets: [Socket] = []) {
    self.pid = pid
    self.command = command.limitedName
    self.pipes = pipes.isEmpty ? nil : pipes
    self.sockets = sockets.isEmpty ? nil : Array(sockets.prefix(Self.maxSockets))
  }

  /// What of it belongs to the test, for people: `listens on tcp 0.0.0.0:80, holds stdout open`;
  /// `nil` for nothing.
  package var holdings: String? {
    var parts: [String] = []
    if let sockets {
      parts.append("listens on " + sockets.map(\.description).joined(separator: ", "))
    }
    if let pipes {
      parts.append("holds " + pipes.map(\.rawValue).joined(separator: " and ") + " open")
    }
    return parts.isEmpty ? nil : parts.joined(separator: "; ")
  }

  /// Bytes of its texts.
  var textBytes: Int {
    command.utf8.count + (sockets ?? []).reduce(0) { $0 + $1.address.utf8.count }
  }
}
