import CScanner

/// The tables of the scanner, which are made once and shared by all threads.
final class SecretAutomaton: @unchecked Sendable {
  /// Nothing writes to what it points to.
  let table: UnsafePointer<carrel_scan_table>
  private let free: [UnsafeMutableRawPointer]

  /// - Parameter longest: A secret has at most so many bytes.
  init(_ program: SecretProgram, longest: Int) {
    var allocated: [UnsafeMutableRawPointer] = []
    func keep<Element>(_ elements: [Element]) -> UnsafePointer<Element> {
      let copy = UnsafeMutablePointer<Element>.allocate(capacity: max(1, elements.count))
      copy.initialize(from: elements, count: elements.count)
      allocated.append(UnsafeMutableRawPointer(copy))
      return UnsafePointer(copy)
    }
    let (classes, classCount) = Self.classes(program)
    let automaton = Self.automaton(program, classes: classes, classCount: classCount)
    var sets = [UInt8](repeating: 0, count: program.sets.count * 257)
    for (number, set) in program.sets.enumerated() {
      for byte in set.bytes { sets[number * 257 + Int(byte)] = 1 }
      if set.hasEnd { sets[number * 257 + 256] = 1 }
    }
    let table = UnsafeMutablePointer<carrel_scan_table>.allocate(capacity: 1)
    table.initialize(
      to: carrel_scan_table(
        classes: keep(classes), class_count: UInt32(classCount), states: keep(automaton.next),
        hits_begin: keep(automaton.hitsBegin), hits: keep(automaton.hits),
        literals: keep(program.literals), texts: keep(program.texts), steps: keep(program.steps),
        step_count: UInt32(program.steps.count), sets: keep(sets), longest: longest))
    allocated.append(UnsafeMutableRawPointer(table))
    self.table = UnsafePointer(table)
    free = allocated
  }

  deinit { for pointer in free { pointer.deallocate() } }

  private static func lowercase(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }

  /// Bytes that literals have are of a class each, upper and lower case of one; all others are 0.
  private static func classes(_ program: SecretProgram) -> ([UInt8], count: Int) {
    var classes = [UInt8](repeating: 0, count: 256)
    var count = 1
    for byte in Set(program.texts.map { lowercase($0) }).sorted() {
      classes[Int(byte)] = UInt8(count)
      count += 1
    }
    for byte in UInt8(ascii: "A")...UInt8(ascii: "Z") {
      classes[Int(byte)] = classes[Int(byte | 0x20)]
    }
    return (classes, count)
  }

  private struct States {
    var next: [UInt32]
    var hitsBegin: [UInt32]
    var hits: [UInt32]
  }

  /// The automaton of Aho and Corasick with all of its transitions.
  private static func automaton(
    _ program: SecretProgram, classes: [UInt8], classCount: Int
  ) -> States {
    var next = [UInt32](repeating: 0, count: classCount)
    var ends: [[UInt32]] = [[]]
    for (number, literal) in program.literals.enumerated() {
      var state = 0
      let text = program.texts[Int(literal.text)..<Int(literal.text + literal.length)]
      for byte in text {
        let place = state * classCount + Int(classes[Int(lowercase(byte))])
        if next[place] == 0 {
          next[place] = UInt32(ends.count)
          ends.append([])
          next += [UInt32](repeating: 0, count: classCount)
        }
        state = Int(next[place])
      }
      ends[state].append(UInt32(number))
    }
    // Breadth first: where a state has no way on, it goes where its longest proper end goes.
    var fallback = [Int](repeating: 0, count: ends.count)
    var queue = (0..<classCount).map { Int(next[$0]) }.filter { $0 != 0 }
    var position = 0
    while position < queue.count {
      let state = queue[position]
      position += 1
      ends[state] += ends[fallback[state]]
      for number in 0..<classCount {
        let place = state * classCount + number
        let other = Int(next[fallback[state] * classCount + number])
        if next[place] == 0 {
          next[place] = UInt32(other)
        } else {
          fallback[Int(next[place])] = other
          queue.append(Int(next[place]))
        }
      }
    }
    var states = States(next: next, hitsBegin: [0], hits: [])
    for hits in ends {
      states.hits += hits
      states.hitsBegin.append(UInt32(states.hits.count))
    }
    return states
  }
}
