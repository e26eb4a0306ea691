import Glibc

/// Runs a body with the file permissions of an ordinary user, on this thread only (setfsuid(2)).
///
/// Does nothing more when the tests already run as an ordinary user.
package func asOrdinaryUser<T>(_ body: () throws -> T) rethrows -> T {
  guard geteuid() == 0 else { return try body() }
  // Glibc's module does not have the header of these two.
  typealias Setter = @convention(c) (UInt32) -> Int32
  func setter(_ name: String) -> Setter {
    guard let symbol = dlsym(nil, name) else { preconditionFailure("there is no \(name)") }
    return unsafeBitCast(symbol, to: Setter.self)
  }
  let (group, user) = (setter("setfsgid"), setter("setfsuid"))
  let nobody: UInt32 = 65_534
  _ = group(nobody)
  _ = user(nobody)
  defer {
    _ = user(0)
    _ = group(0)
  }
  return try body()
}
