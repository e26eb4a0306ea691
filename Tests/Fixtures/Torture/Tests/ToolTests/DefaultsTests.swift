import XCTest

/// Each test writes 200 keys of its own to the one file of standard defaults that the product has.
final class DefaultsXCTests: XCTestCase {
  func write() throws {
    let store = UserDefaults.standard
    func known() -> [String] {
      store.dictionaryRepresentation().keys.filter { $0.hasPrefix("key of ") }.sorted()
    }
    XCTAssertEqual(known(), [], "keys were there at the start")
    let owner = UUID().uuidString
    let own = (0..<200).map { "key of \(owner) \($0)" }
    for (number, key) in own.enumerated() {
      store.set(number, forKey: key)
      XCTAssertTrue(store.synchronize())
    }
    XCTAssertEqual(known(), own.sorted())
    // Those on disk, not those that this process remembers.
    let folder = try XCTUnwrap(ProcessInfo.processInfo.environment["XDG_CONFIG_HOME"])
    let name = ProcessInfo.processInfo.processName
    let data = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name).plist"))
    let stored = try PropertyListSerialization.propertyList(from: data, format: nil)
    let keys = try XCTUnwrap(stored as? [String: Any]).keys.filter { $0.hasPrefix("key of ") }
    XCTAssertEqual(keys.sorted(), own.sorted())
  }

  func testFirst() throws { try write() }
  func testSecond() throws { try write() }
  func testThird() throws { try write() }

  /// Fails at each attempt, after everything else, so that there is another one.
  func testFourth() throws {
    try write()
    if ProcessInfo.processInfo.environment["TORTURE_FAILS"] != nil { XCTFail("on purpose") }
  }
}
