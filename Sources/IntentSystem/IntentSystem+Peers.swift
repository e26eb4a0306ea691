import IntentWire

/// What comes in through connections, sorted by who sent it.
extension IntentSystem {
  func take(_ message: Result<WireMessage, WireError>, from peer: Peer) {
    switch (peer.role, message) {
    case (.unknown, .success(.request(let id, "hello", let parameters))):
      hello(peer, id, parameters)
    case (.unknown, _):
      // Nobody who knows the protocol begins otherwise.
      peer.send(
        .failure(id: nil, WireError(.invalidRequest, "the first message must be a 'hello'")))
      peer.close()
    case (.host, .success(.request(let id, let method, let parameters))):
      answerHost(peer, id, method, parameters)
    case (.host(let slot), _):
      slot.take(message, from: peer)
    case (.test, .success(.request(let id, let method, let parameters))):
      answerTest(peer, id, method, parameters)
    case (.test, .failure(let error)):
      peer.send(.failure(id: nil, error))
      peer.close()
    case (.test, _):
      break
    }
  }

  private func hello(_ peer: Peer, _ id: Int, _ parameters: WireJSON) {
    let own = WireMessage.version
    let version = parameters["protocol"]?.string ?? "none"
    guard version.split(separator: ".").first == own.split(separator: ".").first else {
      let error = WireError(
        .otherVersion,
        "the intent system speaks version \(own) of the protocol, the other side "
          + "\(version.shortened(to: 200)); build both with the same version of Carrel")
      peer.send(.failure(id: id, error))
      peer.close()
      slot(expecting: parameters["token"]?.string)?.refuse(error)
      return
    }
    if parameters["role"]?.string == "host" {
      let slot = slot(expecting: parameters["token"]?.string)
      guard let slot else {
        peer.send(
          .failure(id: id, WireError(.invalidRequest, "no process with this token is expected")))
        peer.close()
        return
      }
      if let refusal = otherCompiler(slot, parameters)
        ?? slot.connected(peer, parameters["bundle"]?.string)
      {
        peer.send(.failure(id: id, refusal))
        peer.close()
        slot.refuse(refusal)
        return
      }
      peer.role = .host(slot)
    } else {
      peer.role = .test
    }
    peer.send(
      .result(
        id: id,
        [
          "protocol": .string(own), "runtime": .string(configuration.runtime),
          "fixtureToken": configuration.fixtureToken.map { .string($0) } ?? .null,
        ]))
  }

  private func otherCompiler(_ slot: AppSlot, _ parameters: WireJSON) -> WireError? {
    configuration.expectedCompiler?.mismatch(
      compiler: parameters["compiler"]?.string, clang: parameters["clang"]?.string
    ).map {
      WireError(.otherCompiler, "\(slot.app.bundleIdentifier) \($0); build it anew")
    }
  }

  /// The app whose process was given the token.
  private func slot(expecting token: String?) -> AppSlot? {
    guard let token, !token.isEmpty else { return nil }
    return slots.values.first { $0.token == token }
  }

  private func answerHost(_ peer: Peer, _ id: Int, _ method: String, _ parameters: WireJSON) {
    guard method == "index.update" else {
      peer.send(
        .failure(
          id: id,
          WireError(.methodNotFound, "the system knows no method '\(method.shortened(to: 200))'")))
      return
    }
    // What an ended app has left behind is no app, although it has the connection.
    guard case .host(let slot) = peer.role, slot.isCurrent(peer) else { return }
    do throws(WireShapeError) {
      index.enqueue(try IndexUpdate(json: parameters))
      peer.send(.result(id: id, .object([])))
    } catch {
      peer.send(.failure(id: id, WireError(.invalidParameters, "\(error)")))
    }
  }
}
