import RunModel

/// Writes the events that a log has for each test, which are nearly all of it.
///
/// The general encoder takes some 10 µs an event, on a core that tests wait for. The bytes are the
/// same: the keys in order, and whatever is not plain here is left to the general encoder.
struct EventLine {
  private var bytes: [UInt8] = []
  private var isPlain = true

  /// The line of an event without its newline; `nil` when the general encoder must write it.
  static func plain(_ event: RunEvent) -> [UInt8]? {
    guard event.run == nil else { return nil }
    var line = EventLine()
    line.bytes.reserveCapacity(384)
    switch event.kind {
    case .testPlanned(let test): line.write(test)
    case .attemptStarted(let start): line.write(start)
    case .attemptFinished(let result): line.write(result)
    case .testFinished(let result): line.write(result)
    default: return nil
    }
    line.raw(",\"time\":")
    line.number(event.time)
    line.raw("}")
    return line.isPlain ? line.bytes : nil
  }

  private mutating func write(_ test: TestDescriptor) {
    guard test.displayName == nil, test.tags.isEmpty, !test.usesIntents,
      !test.hasNamesake
    else {
      return isPlain = false
    }
    raw("{\"kind\":\"testPlanned\",\"payload\":{\"id\":")
    string("\(test.id)")
    raw(",\"isParameterized\":")
    raw(test.isParameterized ? "true" : "false")
    raw(",\"libraryID\":")
    string(test.libraryID)
    if let location = test.location {
      raw(",\"location\":{")
      if let column = location.column {
        raw("\"column\":")
        number(column)
        raw(",")
      }
      raw("\"file\":")
      string(location.file)
      raw(",\"line\":")
      number(location.line)
      raw("}")
    }
    raw(",\"tags\":[]}")
  }

  private mutating func write(_ start: AttemptStart) {
    raw("{\"kind\":\"attemptStarted\",\"payload\":{\"attempt\":")
    number(start.attempt)
    raw(",\"batch\":")
    number(start.batch)
    raw(",\"test\":")
    string("\(start.test)")
    raw(",\"worker\":")
    number(start.worker)
    raw("}")
  }

  private mutating func write(_ result: AttemptResult) {
    guard result.issues.isEmpty, result.cases.isEmpty, result.leaks.isEmpty, result.end == nil,
      result.reason == nil, result.skip == nil, result.omitted == nil, result.apps.isEmpty
    else { return isPlain = false }
    raw("{\"kind\":\"attemptFinished\",\"payload\":{\"attempt\":")
    number(result.attempt)
    raw(",\"batch\":")
    number(result.batch)
    raw(",\"cases\":[],\"duration\":")
    number(result.duration)
    raw(",\"hadCompany\":")
    raw(result.hadCompany ? "true" : "false")
    raw(",\"issues\":[],\"leaks\":[],\"purpose\":")
    string(result.purpose.rawValue)
    raw(",\"startedAt\":")
    number(result.startedAt)
    write(result.stderr, "stderr")
    write(result.stdout, "stdout")
    raw(",\"test\":")
    string("\(result.test)")
    raw(",\"verdict\":")
    string(result.verdict.rawValue)
    raw(",\"worker\":")
    number(result.worker)
    raw("}")
  }

  private mutating func write(_ log: LogReference?, _ name: StaticString) {
    guard let log else { return }
    raw(",\"")
    raw(name)
    raw("\":{\"bytes\":")
    number(log.bytes)
    raw(",\"isTruncated\":")
    raw(log.isTruncated ? "true" : "false")
    raw(",\"path\":")
    string(log.path)
    raw("}")
  }

  private mutating func write(_ result: TestResult) {
    guard result.company == nil, result.unnamed == nil, result.reason == nil else {
      return isPlain = false
    }
    raw("{\"kind\":\"testFinished\",\"payload\":{\"attempts\":")
    number(result.attempts)
    raw(",\"isFlaky\":")
    raw(result.isFlaky ? "true" : "false")
    raw(",\"test\":")
    string("\(result.test)")
    raw(",\"verdict\":")
    string(result.verdict.rawValue)
    raw("}")
  }

  private mutating func raw(_ text: StaticString) {
    text.withUTF8Buffer { bytes += $0 }
  }

  private mutating func number(_ value: Int) { bytes += "\(value)".utf8 }

  private mutating func number(_ value: Double) {
    guard value.isFinite else { return isPlain = false }
    let text = "\(value)"
    // The encoder writes whole numbers without a fraction.
    bytes += text.hasSuffix(".0") ? text.dropLast(2).utf8 : text[...].utf8
  }

  /// Only texts without anything to escape are plain.
  private mutating func string(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte >= 0x7F {
        isPlain = false
        return
      }
      bytes.append(byte)
    }
    bytes.append(UInt8(ascii: "\""))
  }
}
