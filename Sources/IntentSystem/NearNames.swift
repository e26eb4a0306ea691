import RunModel

/// Names that somebody may have meant by one that is not there.
struct NearNames {
  /// Words at the end of a type's name that say what it is.
  private static let kinds = ["appintent", "appentity", "appenum", "intent", "entity", "enum"]
  /// Least letters that a part of a name must have to stand for it.
  private static let leastPart = 3
  /// Most names that are told.
  private static let most = 3

  /// The nearest first, at most three; none when nothing is near.
  let names: [String]

  init(to name: String, among known: [String]) {
    let wanted = Self.stem(name)
    let distances = known.compactMap { candidate in
      Self.distance(wanted, Self.stem(candidate)).map { (candidate, $0) }
    }.sorted { ($0.1, $0.0) < ($1.1, $1.0) }
    // What is only a part of a name counts when nothing is nearer.
    names = distances.filter { $0.1 == distances[0].1 }.prefix(Self.most).map(\.0)
  }

  /// Identifiers of apps: their last parts have to be near each other, and what stands before them
  /// too unless the last parts are the same.
  init(toBundle identifier: String, among known: [String]) {
    let (owner, name) = Self.parts(identifier)
    let distances = known.compactMap { candidate -> (String, Int)? in
      let (otherOwner, otherName) = Self.parts(candidate)
      guard let last = Self.editDistance(name, otherName) else { return nil }
      guard let first = Self.editDistance(owner, otherOwner) else {
        return last == 0 && !name.isEmpty ? (candidate, owner.count + otherOwner.count) : nil
      }
      return (candidate, first + last)
    }.sorted { ($0.1, $0.0) < ($1.1, $1.0) }
    names = distances.filter { $0.1 == distances[0].1 }.prefix(Self.most).map(\.0)
  }

  private static func parts(_ identifier: String) -> (owner: [UInt8], name: [UInt8]) {
    let parts = identifier.lowercased().split(separator: ".", omittingEmptySubsequences: false)
    return (
      Array(parts.dropLast().joined(separator: ".").utf8.prefix(200)),
      Array((parts.last ?? "").utf8.prefix(200))
    )
  }

  /// How far two names are from each other; `nil` for too far.
  private static func distance(
    _ wanted: [UInt8], _ candidate: [UInt8]
  ) -> Int? {
    if let distance = editDistance(wanted, candidate) { return distance }
    let isPart = { (part: [UInt8], whole: [UInt8]) in
      part.count >= leastPart
        && (whole.starts(with: part) || whole.reversed().starts(with: part.reversed()))
    }
    return isPart(wanted, candidate) || isPart(candidate, wanted) ? Int.max : nil
  }

  /// The edit distance of two names that are near each other: a quarter of the letters differ at
  /// most, in short names one.
  private static func editDistance(_ name: [UInt8], _ other: [UInt8]) -> Int? {
    let length = min(name.count, other.count)
    let distance = RunModel.editDistance(name, other, limit: max(2, length / 4))
    // In a short name two letters may only have changed places.
    guard let distance, distance == 0 || distance < length else { return nil }
    guard distance > 1, length < 6 else { return distance }
    return name.sorted() == other.sorted() ? distance : nil
  }

  /// The name in small letters without the word for its kind.
  private static func stem(_ name: String) -> [UInt8] {
    let small = name.lowercased()
    let kind = kinds.first { small.hasSuffix($0) && small.utf8.count > $0.utf8.count }
    return Array(small.utf8.dropLast(kind?.utf8.count ?? 0).prefix(200))
  }
}
