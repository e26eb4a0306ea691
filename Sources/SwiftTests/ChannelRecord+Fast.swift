import Glibc

extension ChannelRecord {
  /// Reads the lines that come for every test without a JSON decoder, which takes ten times as
  /// long.
  ///
  /// - Returns: `nil` for every line that is not exactly of an expected form; the decoder reads it.
  init?(usualLine line: UnsafeRawBufferPointer) {
    let boundary = #"{"k":"boundary","s":"#
    if line.starts(with: boundary.utf8) {
      let digits = line.dropFirst(boundary.utf8.count).dropLast()
      guard line.last == UInt8(ascii: "}"),
        let number = Int(String(decoding: digits, as: UTF8.self))
      else { return nil }
      self = .observer(ObserverRecord(boundary: number))
      return
    }
    guard line.starts(with: #"{"kind":"event","#.utf8) else { return nil }
    let kind: String
    if line.end(of: #","kind":"testStarted","#) != nil {
      kind = "testStarted"
    } else if line.end(of: #","kind":"testEnded","#) != nil {
      kind = "testEnded"
    } else {
      return nil
    }
    guard let idStart = line.end(of: #""testID":""#),
      let timeStart = line.end(of: #""instant":{"absolute":"#),
      let id = line.string(from: idStart), let time = line.number(from: timeStart)
    else { return nil }
    var record = StreamRecord(kind: kind, testID: id, time: time)
    if let start = line.end(of: #","since1970":"#) {
      record.payload.instant?.since1970 = line.number(from: start)
    }
    if let start = line.end(of: #""messages":[{"symbol":""#), let symbol = line.string(from: start)
    {
      record.payload.messages = [StreamRecord.Message(symbol: symbol, text: "")]
    }
    self = .stream(record)
  }
}

extension ObserverRecord {
  init(boundary: Int) {
    kind = .boundary
    sequence = boundary
  }
}

extension StreamRecord {
  init(kind event: String, testID: String, time: Double) {
    kind = "event"
    payload = Payload(kind: event, testID: testID, instant: Instant(absolute: time))
  }
}

extension UnsafeRawBufferPointer {
  /// The offset after the first occurrence of a text.
  fileprivate func end(of text: StaticString) -> Int? {
    let length = text.utf8CodeUnitCount
    guard let base = baseAddress, count >= length else { return nil }
    var position = 0
    while let found = SwiftTests.offset(of: text.utf8Start[0], in: self, from: position),
      found + length <= count
    {
      if memcmp(base + found, text.utf8Start, length) == 0 { return found + length }
      position = found + 1
    }
    return nil
  }

  /// The JSON string that begins here, after its quote; `nil` when it has other escapes than of the
  /// slash, the quote and the backslash.
  fileprivate func string(from start: Int) -> String? {
    var bytes: [UInt8] = []
    var position = start
    while position < count {
      switch self[position] {
      case UInt8(ascii: "\""): return String(validating: bytes, as: UTF8.self)
      case UInt8(ascii: "\\"):
        position += 1
        guard position < count, #"/"\"#.utf8.contains(self[position]) else { return nil }
        bytes.append(self[position])
      case let byte: bytes.append(byte)
      }
      position += 1
    }
    return nil
  }

  fileprivate func number(from start: Int) -> Double? {
    let digits = self[start...].prefix { byte in
      (48...57).contains(byte) || "+-.eE".utf8.contains(byte)
    }
    return Double(String(decoding: digits, as: UTF8.self))
  }
}
