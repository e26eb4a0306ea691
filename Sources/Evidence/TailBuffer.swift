/// The last bytes of a stream.
package struct TailBuffer: Sendable {
  private let capacity: Int
  private var storage: [UInt8] = []
  /// Where the next byte goes, once the storage is full.
  private var position = 0

  package init(capacity: Int) { self.capacity = capacity }

  package mutating func append(_ bytes: UnsafeRawBufferPointer) {
    var rest = UnsafeRawBufferPointer(rebasing: bytes.suffix(capacity))
    let room = min(capacity - storage.count, rest.count)
    if room > 0 {
      storage += rest[..<room]
      rest = UnsafeRawBufferPointer(rebasing: rest[room...])
    }
    while !rest.isEmpty {
      let count = min(capacity - position, rest.count)
      storage.withUnsafeMutableBytes { target in
        let slice = UnsafeMutableRawBufferPointer(rebasing: target[position..<position + count])
        slice.copyMemory(from: UnsafeRawBufferPointer(rebasing: rest[..<count]))
      }
      position = (position + count) % capacity
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    }
  }

  /// At most so many of the last bytes.
  package func last(_ count: Int) -> [UInt8] {
    let all =
      storage.count < capacity || position == 0
      ? storage[...] : storage[position...] + storage[..<position]
    return Array(all.suffix(count))
  }
}
