/// One message of the protocol: JSON-RPC 2.0 (https://www.jsonrpc.org/specification), one message a
/// line.
public enum WireMessage: Hashable, Sendable {
  case request(id: Int, method: String, parameters: WireJSON)
  /// A request that nobody answers.
  case notification(method: String, parameters: WireJSON)
  case result(id: Int, WireJSON)
  /// `id` is `nil` when the request could not be read.
  case failure(id: Int?, WireError)

  /// The version of the protocol: a newer minor version is understood, a newer major one refused.
  public static let version = "1.0"
  /// Bytes of a line without its newline; longer ones are not sent, and are the call's error.
  public static let maximumLength = 16 << 20

  /// The message's line with its newline. That of a failure always fits, see
  /// ``WireError/shortened``.
  public var line: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(256)
    json.write(to: &bytes)
    bytes.append(0x0A)
    return bytes
  }

  /// Why a line cannot be sent: the other side would end the connection, and every call with it.
  ///
  /// - Parameter what: What it is, for people: `call of 'x'`.
  public static func refusal(of line: [UInt8], _ what: String) -> WireError? {
    let length = line.count - 1
    guard length > maximumLength else { return nil }
    return WireError(
      .invalidRequest, "the \(what) is \(length) bytes long; \(maximumLength) can be sent")
  }

  private var json: WireJSON {
    switch self {
    case .request(let id, let method, let parameters):
      [
        "jsonrpc": "2.0", "id": .int(Int64(id)), "method": .string(method), "params": parameters,
      ]
    case .notification(let method, let parameters):
      ["jsonrpc": "2.0", "method": .string(method), "params": parameters]
    case .result(let id, let value):
      ["jsonrpc": "2.0", "id": .int(Int64(id)), "result": value]
    case .failure(let id, let error):
      ["jsonrpc": "2.0", "id": id.map { .int(Int64($0)) } ?? .null, "error": error.shortened.json]
    }
  }

  /// Reads a line without its newline.
  ///
  /// - Throws: ``WireError`` with the code `parseError` or `invalidRequest`.
  public init(line: UnsafeRawBufferPointer) throws(WireError) {
    let json: WireJSON
    do throws(WireSyntaxError) {
      json = try WireJSON(reading: line)
    } catch {
      throw WireError(.parseError, "the message is no JSON: \(error)")
    }
    do throws(WireShapeError) {
      self = try Self(json: json)
    } catch {
      throw WireError(.invalidRequest, "the message is not of JSON-RPC 2.0: \(error)")
    }
  }

  private init(json: WireJSON) throws(WireShapeError) {
    guard json["jsonrpc"]?.string == "2.0" else {
      throw WireShapeError("'jsonrpc' is not \"2.0\"")
    }
    let id = json["id"]
    if let method = json["method"]?.string {
      let parameters = json["params"] ?? .object([])
      guard parameters.members != nil else { throw WireShapeError("'params' is no object") }
      if let id {
        self = .request(id: try require(id.int, "id"), method: method, parameters: parameters)
      } else {
        self = .notification(method: method, parameters: parameters)
      }
    } else if let value = json["result"] {
      self = .result(id: try require(id?.int, "id"), value)
    } else if let error = json["error"] {
      self = .failure(id: id?.int, try WireError(json: error))
    } else {
      throw WireShapeError("neither 'method' nor 'result' nor 'error' is there")
    }
  }
}
