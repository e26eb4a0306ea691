import CImageSections

/// The types in this executable that conform to a protocol, found in the records that the Swift
/// runtime itself reads for `as?`.
///
/// The layout is part of Swift's ABI (docs/ABI/TypeMetadata.rst of the Swift project); a record has
/// relative pointers to the protocol and to the type, and flags. docs/decisions says why they are
/// read here.
enum ConformanceRecords {
  /// Types that conform to a protocol of the module AppIntents; generic types are left out, because
  /// nobody says what for.
  ///
  /// - Parameter name: The name of the protocol.
  static func types(conformingTo name: String) -> [Any.Type] {
    var size = 0
    guard let start = carrel_conformance_records(&size) else { return [] }
    var types: [Any.Type] = []
    for offset in stride(from: 0, to: size, by: 4) {
      guard let record = relative(start + offset), let conformed = relativeIndirectable(record),
        text(conformed + 8) == name, isOfAppIntents(conformed), let type = type(of: record)
      else { continue }
      types.append(type)
    }
    return types
  }

  /// Whether a descriptor's context is the module of the library.
  private static func isOfAppIntents(_ descriptor: UnsafeRawPointer) -> Bool {
    guard let module = relativeIndirectable(descriptor + 4) else { return false }
    return text(module + 8) == "AppIntents"
  }

  /// The type of a record: a pointer to its descriptor, or to a pointer to it.
  private static func type(of record: UnsafeRawPointer) -> Any.Type? {
    let kind = record.loadUnaligned(fromByteOffset: 12, as: UInt32.self) >> 3 & 7
    guard kind <= 1, var descriptor = relative(record + 4) else { return nil }
    if kind == 1 { descriptor = descriptor.loadUnaligned(as: UnsafeRawPointer.self) }
    let isGeneric = descriptor.loadUnaligned(as: UInt32.self) & 0x80 != 0
    guard !isGeneric, let accessor = relative(descriptor + 12) else { return nil }
    // The accessor takes a request (0: complete metadata) and returns metadata and its state.
    typealias Accessor = @convention(thin) (Int) -> UnsafeRawPointer
    let metadata = unsafeBitCast(accessor, to: Accessor.self)(0)
    return unsafeBitCast(metadata, to: Any.Type.self)
  }

  private static func relative(_ pointer: UnsafeRawPointer) -> UnsafeRawPointer? {
    let offset = pointer.loadUnaligned(as: Int32.self)
    return offset == 0 ? nil : pointer + Int(offset)
  }

  /// A relative pointer whose lowest bit says that it leads to a pointer.
  private static func relativeIndirectable(_ pointer: UnsafeRawPointer) -> UnsafeRawPointer? {
    let offset = pointer.loadUnaligned(as: Int32.self)
    guard offset != 0 else { return nil }
    let target = pointer + Int(offset & ~1)
    return offset & 1 == 0 ? target : target.loadUnaligned(as: UnsafeRawPointer?.self)
  }

  /// The text that a relative pointer leads to.
  private static func text(_ pointer: UnsafeRawPointer) -> String? {
    relative(pointer).map { String(cString: $0.assumingMemoryBound(to: CChar.self)) }
  }
}
