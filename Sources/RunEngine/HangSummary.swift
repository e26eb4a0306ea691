import RunModel

/// The few lines of a snapshot that say where a test hangs.
struct HangSummary {
  /// A thread with its stack.
  struct Thread {
    /// The innermost first, without addresses and arguments.
    var frames: [String] = []
  }

  /// Most lines of a stack.
  static let mostFrames = 5

  /// Reads what gdb prints for `thread apply all backtrace`, demangled.
  static func threads(in text: String) -> [Thread] {
    var threads: [Thread] = []
    for line in text.split(whereSeparator: \.isNewline) {
      if line.hasPrefix("Thread ") {
        threads.append(Thread())
      } else if let frame = frame(line), !threads.isEmpty {
        threads[threads.count - 1].frames.append(frame)
      }
    }
    return threads
  }

  /// The function of a frame, with its place where that is known.
  static func frame(_ line: Substring) -> String? {
    guard let match = line.prefixMatch(of: #/#(\d+) +(?:0x[0-9a-f]+ in )?/#) else { return nil }
    let rest = line[match.range.upperBound...]
    var place = ""
    var function = rest
    if let at = rest.ranges(of: " at /").last {
      place = " at " + rest[rest.index(at.lowerBound, offsetBy: 4)...]
      function = rest[..<at.lowerBound]
    } else if let other = (rest.ranges(of: " from /") + rest.ranges(of: " at .")).last {
      // Of a library, whose sources are not here.
      function = rest[..<other.lowerBound]
    }
    return "#\(match.1) " + withoutArguments(function) + place
  }

  /// The name without what gdb adds in the last pair of brackets.
  private static func withoutArguments(_ function: Substring) -> String {
    guard function.last == ")", let open = function.ranges(of: " (").last else {
      return String(function)
    }
    return String(function[..<open.lowerBound])
  }

  /// The lines of the thread that runs a test: the innermost frames, and the test's own one.
  ///
  /// - Parameters:
  ///   - stacks: What gdb printed, demangled.
  ///   - function: The name of the test's function, without what follows it in brackets.
  /// - Returns: `nil` when no thread is in the test.
  static func lines(ofTest function: String, in stacks: String) -> [String]? {
    for thread in threads(in: stacks) {
      guard let own = thread.frames.lastIndex(where: { holds($0, function) }) else { continue }
      guard own >= mostFrames else { return Array(thread.frames.prefix(own + 1)) }
      let top = thread.frames.prefix(mostFrames - 2)
      return top + ["… \(own - top.count) more …", thread.frames[own]]
    }
    return nil
  }

  /// Whether the function's name stands in a frame as a word of its own.
  private static func holds(_ frame: String, _ function: String) -> Bool {
    frame.ranges(of: function).contains { range in
      let after = frame[range.upperBound...].first ?? " "
      let before =
        range.lowerBound == frame.startIndex ? " " : frame[frame.index(before: range.lowerBound)]
      return !isPart(after) && !isPart(before)
    }
  }

  private static func isPart(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || character == "_"
  }
}
