/// Where two sequences differ: the changes that make one of the other.
///
/// The result of (b, a) is that of (a, b) with its sides swapped.
package struct SequenceDiff: Hashable, Sendable {
  /// Elements of one sequence that stand in the place of elements of the other; one of the ranges
  /// may be empty. What lies between two changes is equal.
  package struct Change: Hashable, Sendable {
    package var left: Range<Int>
    package var right: Range<Int>
  }

  /// From the first to the last.
  package private(set) var changes: [Change]
  /// Whether no smaller set of changes is possible.
  package private(set) var isMinimal: Bool

  /// Steps of a search for the smallest set of changes, after which a comparison goes on with what
  /// is found quickly.
  package static let standardSteps = 8_000_000

  /// - Parameter steps: Bounds the work, besides some passes over both sequences.
  package init<Element: Hashable & Comparable>(
    _ left: [Element], _ right: [Element], steps: Int = standardSteps
  ) {
    // The search prefers one of several smallest sets; it must be the same from both sides.
    let isSwapped =
      left.count != right.count
      ? left.count > right.count : right.lexicographicallyPrecedes(left)
    let (first, second) = isSwapped ? (right, left) : (left, right)
    var numbers: [Element: Int32] = [:]
    func numbered(_ elements: [Element]) -> [Int32] {
      elements.map { element in
        if let known = numbers[element] { return known }
        let number = Int32(numbers.count)
        numbers[element] = number
        return number
      }
    }
    let (firstNumbers, secondNumbers) = (numbered(first), numbered(second))
    var search = SequenceSearch(firstNumbers, secondNumbers, kinds: numbers.count, steps: steps)
    search.run()
    isMinimal = search.isMinimal
    changes = search.changes
    if isSwapped { changes = changes.map { Change(left: $0.right, right: $0.left) } }
  }

  package var isEmpty: Bool { changes.isEmpty }
}

/// Compares two sequences of numbers.
///
/// Finds a smallest set of changes by divide and conquer (E. Myers, An O(ND) Difference Algorithm
/// and Its Variations, 1986, section 4b). Beginnings and ends that are equal, and elements that
/// the other sequence has nowhere, are set aside first. When the steps do not suffice, what is left
/// is divided at elements that both sides have exactly once, and where there are none at the point
/// that a short search has come furthest to.
private struct SequenceSearch {
  /// Ranges of both sequences that are to be compared.
  private struct Box {
    var left: Range<Int>
    var right: Range<Int>
  }

  private let left: [Int32]
  private let right: [Int32]
  /// Elements that have no counterpart.
  private var leftIsChanged: [Bool]
  private var rightIsChanged: [Bool]
  /// Positions of the elements that the other side has, too.
  private var leftPlaces: [Int] = []
  private var rightPlaces: [Int] = []
  private var steps: Int
  /// Visits of elements by the second way, which is bounded as well.
  private var visits: Int
  private(set) var isMinimal = true
  private let kinds: Int
  /// Whether a search has not come to its end, so that all later ones must be short.
  private var isHurried = false
  /// The furthest positions on each diagonal, forwards and backwards.
  private var forward: [Int32] = []
  private var backward: [Int32] = []

  init(_ left: [Int32], _ right: [Int32], kinds: Int, steps: Int) {
    self.left = left
    self.right = right
    self.kinds = kinds
    self.steps = steps
    visits = 16 * (left.count + right.count)
    leftIsChanged = Array(repeating: false, count: left.count)
    rightIsChanged = Array(repeating: false, count: right.count)
  }

  mutating func run() {
    let whole = trimmed(
      Box(left: 0..<left.count, right: 0..<right.count), equal: { left[$0] == right[$1] })
    var inLeft = [Bool](repeating: false, count: kinds)
    var inRight = inLeft
    for index in whole.left { inLeft[Int(left[index])] = true }
    for index in whole.right { inRight[Int(right[index])] = true }
    for index in whole.left {
      if inRight[Int(left[index])] { leftPlaces.append(index) } else { leftIsChanged[index] = true }
    }
    for index in whole.right {
      if inLeft[Int(right[index])] {
        rightPlaces.append(index)
      } else {
        rightIsChanged[index] = true
      }
    }
    var boxes = [Box(left: 0..<leftPlaces.count, right: 0..<rightPlaces.count)]
    while let next = boxes.popLast() {
      let box = trimmed(next) { left[leftPlaces[$0]] == right[rightPlaces[$1]] }
      if box.left.isEmpty || box.right.isEmpty {
        change(box)
      } else if !isHurried, let point = middle(of: box) {
        boxes += divided(box, at: point)
      } else {
        hurry()
        let parts = divided(box)
        if !parts.isEmpty {
          boxes += parts
        } else if let point = middle(of: box) {
          boxes += divided(box, at: point)
        } else {
          change(box)
        }
      }
    }
  }

  /// Gives up the search for the smallest set, and takes a number of steps for the rest that grows
  /// with the sequences alone.
  private mutating func hurry() {
    guard !isHurried else { return }
    isHurried = true
    isMinimal = false
    steps = 16 * (left.count + right.count)
  }

  private func divided(_ box: Box, at point: (x: Int, y: Int)) -> [Box] {
    [
      Box(left: point.x..<box.left.upperBound, right: point.y..<box.right.upperBound),
      Box(left: box.left.lowerBound..<point.x, right: box.right.lowerBound..<point.y),
    ]
  }

  private func trimmed(_ box: Box, equal: (Int, Int) -> Bool) -> Box {
    var (left, right) = (box.left, box.right)
    while !left.isEmpty, !right.isEmpty, equal(left.lowerBound, right.lowerBound) {
      left = left.lowerBound + 1..<left.upperBound
      right = right.lowerBound + 1..<right.upperBound
    }
    while !left.isEmpty, !right.isEmpty, equal(left.upperBound - 1, right.upperBound - 1) {
      left = left.lowerBound..<left.upperBound - 1
      right = right.lowerBound..<right.upperBound - 1
    }
    return Box(left: left, right: right)
  }

  private mutating func change(_ box: Box) {
    for index in box.left { leftIsChanged[leftPlaces[index]] = true }
    for index in box.right { rightIsChanged[rightPlaces[index]] = true }
  }

  /// A point in the middle of a shortest path through the box; in a hurry, the point on a path from
  /// the beginning that is furthest away.
  ///
  /// - Returns: `nil` when the steps do not suffice, or the point divides nothing.
  private mutating func middle(of box: Box) -> (Int, Int)? {
    let (width, height) = (box.left.count, box.right.count)
    let (delta, isOdd) = (width - height, (width - height) % 2 != 0)
    let half = (width + height + 1) / 2
    // Round d takes 2 d steps. In a hurry, the whole shall be done with what is left.
    let affordable =
      isHurried
      ? min(256, max(8, 2 * steps / (width + height))) : Int(Double(max(0, steps) / 2).squareRoot())
    let rounds = min(half, 2 + affordable)
    let offset = rounds + 1
    forward = Array(repeating: -1, count: 2 * offset + 2)
    backward = forward
    forward[offset + 1] = 0
    backward[offset + 1] = 0
    var (forwardLow, forwardHigh, backwardLow, backwardHigh) = (0, 0, 0, 0)
    func start(_ furthest: [Int32], _ diagonal: Int, _ round: Int) -> Int {
      let (below, above) = (furthest[offset + diagonal - 1], furthest[offset + diagonal + 1])
      return diagonal == -round || (diagonal != round && below < above)
        ? Int(above) : Int(below) + 1
    }
    for round in 0...rounds {
      guard steps > 0 else { return nil }
      if round == rounds, rounds < half {
        return isHurried ? furthest(in: box, offset: offset, round: round - 1) : nil
      }
      for diagonal in stride(from: -round + forwardLow, through: round - forwardHigh, by: 2) {
        var x = start(forward, diagonal, round)
        var y = x - diagonal
        let begin = x
        while x < width, y < height,
          left[leftPlaces[box.left.lowerBound + x]]
            == right[rightPlaces[box.right.lowerBound + y]]
        {
          x += 1
          y += 1
        }
        steps -= 1 + x - begin
        forward[offset + diagonal] = Int32(x)
        if x > width {
          forwardHigh += 2
        } else if y > height {
          forwardLow += 2
        } else if isOdd, abs(delta - diagonal) < round {
          let other = backward[offset + delta - diagonal]
          if other >= 0, x + Int(other) >= width { return point(box, x, y) }
        }
      }
      for diagonal in stride(from: -round + backwardLow, through: round - backwardHigh, by: 2) {
        var x = start(backward, diagonal, round)
        var y = x - diagonal
        let begin = x
        while x < width, y < height,
          left[leftPlaces[box.left.upperBound - 1 - x]]
            == right[rightPlaces[box.right.upperBound - 1 - y]]
        {
          x += 1
          y += 1
        }
        steps -= 1 + x - begin
        backward[offset + diagonal] = Int32(x)
        if x > width {
          backwardHigh += 2
        } else if y > height {
          backwardLow += 2
        } else if !isOdd, abs(delta - diagonal) <= round {
          let other = forward[offset + delta - diagonal]
          if other >= 0, x + Int(other) >= width {
            return point(box, width - x, height - y)
          }
        }
      }
    }
    return nil
  }

  /// The point that the search from the beginning has come furthest to.
  private func furthest(in box: Box, offset: Int, round: Int) -> (Int, Int)? {
    var best = (0, 0)
    for diagonal in stride(from: -round, through: round, by: 2) {
      let x = Int(forward[offset + diagonal])
      let y = x - diagonal
      if x >= 0, y >= 0, x <= box.left.count, y <= box.right.count, x + y > best.0 + best.1 {
        best = (x, y)
      }
    }
    return point(box, best.0, best.1)
  }

  private func point(_ box: Box, _ x: Int, _ y: Int) -> (Int, Int)? {
    let isCorner = (x == 0 && y == 0) || (x == box.left.count && y == box.right.count)
    return isCorner ? nil : (box.left.lowerBound + x, box.right.lowerBound + y)
  }

  /// Divides a box at elements that are in both of its sides exactly once and in the same order.
  ///
  /// - Returns: Empty when there are none, or the visits are used up.
  private mutating func divided(_ box: Box) -> [Box] {
    visits -= box.left.count + box.right.count
    guard visits > 0 else { return [] }
    var places: [Int32: (left: Int, right: Int)] = [:]
    for index in box.left {
      let number = left[leftPlaces[index]]
      places[number] = (places[number] == nil ? index : -1, -1)
    }
    for index in box.right {
      let number = right[rightPlaces[index]]
      guard let known = places[number], known.left >= 0 else { continue }
      places[number] = known.right == -1 ? (known.left, index) : (-1, -1)
    }
    let common = places.values.filter { $0.left >= 0 && $0.right >= 0 }.sorted {
      $0.left < $1.left
    }
    let anchors = Self.longestIncreasing(common.map(\.right)).map { common[$0] }
    guard !anchors.isEmpty else { return [] }
    var parts: [Box] = []
    var (x, y) = (box.left.lowerBound, box.right.lowerBound)
    for anchor in anchors {
      parts.append(Box(left: x..<anchor.left, right: y..<anchor.right))
      (x, y) = (anchor.left + 1, anchor.right + 1)
    }
    parts.append(Box(left: x..<box.left.upperBound, right: y..<box.right.upperBound))
    return parts.filter { !$0.left.isEmpty || !$0.right.isEmpty }
  }

  /// Indices of a longest increasing subsequence.
  private static func longestIncreasing(_ values: [Int]) -> [Int] {
    // The index of the smallest last value of a subsequence of each length.
    var ends: [Int] = []
    var previous = [Int](repeating: -1, count: values.count)
    for (index, value) in values.enumerated() {
      var (low, high) = (0, ends.count)
      while low < high {
        let middle = (low + high) / 2
        if values[ends[middle]] < value { low = middle + 1 } else { high = middle }
      }
      if low > 0 { previous[index] = ends[low - 1] }
      if low == ends.count { ends.append(index) } else { ends[low] = index }
    }
    var result: [Int] = []
    var index = ends.last ?? -1
    while index >= 0 {
      result.append(index)
      index = previous[index]
    }
    return result.reversed()
  }

  /// The changes that the marks of both sides stand for.
  var changes: [SequenceDiff.Change] {
    var result: [SequenceDiff.Change] = []
    var (x, y) = (0, 0)
    while x < left.count || y < right.count {
      let (startX, startY) = (x, y)
      while x < left.count, leftIsChanged[x] { x += 1 }
      while y < right.count, rightIsChanged[y] { y += 1 }
      if x > startX || y > startY { result.append(.init(left: startX..<x, right: startY..<y)) }
      while x < left.count, y < right.count, !leftIsChanged[x], !rightIsChanged[y] {
        x += 1
        y += 1
      }
    }
    return result
  }
}
