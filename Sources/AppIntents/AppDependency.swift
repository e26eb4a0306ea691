import Synchronization

/// What intents and queries need of the app, by type and key.
public final class AppDependencyManager: Sendable {
  public static let shared = AppDependencyManager()

  private struct Key: Hashable {
    var type: ObjectIdentifier
    var key: AnyHashableKey?
  }

  /// A key, kept as text so that it can cross threads.
  private struct AnyHashableKey: Hashable {
    var text: String
    init(_ key: some Hashable & Sendable) { text = "\(type(of: key)):\(key)" }
  }

  private enum Entry {
    case value(any Sendable)
    case provider(@Sendable () -> any Sendable)
  }

  private let entries = Mutex<[Key: Entry]>([:])

  public init() {}

  /// Adds what is used for a type; made when somebody needs it first.
  ///
  /// - Parameter key: Tells several of one type apart.
  public func add<Dependency: Sendable>(
    key: (some Hashable & Sendable)? = String?.none,
    dependency dependencyProvider: @autoclosure @escaping @Sendable () -> Dependency
  ) {
    let key = Key(type: ObjectIdentifier(Dependency.self), key: key.map { AnyHashableKey($0) })
    entries.withLock { $0[key] = .provider(dependencyProvider) }
  }

  /// Adds what is used for a type.
  public func add<Dependency: Sendable>(
    key: (some Hashable & Sendable)? = String?.none,
    _ dependencyProvider: @escaping @Sendable () -> Dependency
  ) {
    let key = Key(type: ObjectIdentifier(Dependency.self), key: key.map { AnyHashableKey($0) })
    entries.withLock { $0[key] = .provider(dependencyProvider) }
  }

  func value<Dependency>(
    _ type: Dependency.Type, key: (some Hashable & Sendable)?
  ) -> Dependency? {
    let key = Key(type: ObjectIdentifier(type), key: key.map { AnyHashableKey($0) })
    let entry = entries.withLock { $0[key] }
    switch entry {
    case .value(let value): return value as? Dependency
    case .provider(let provider):
      // Made outside of the lock: it may add dependencies of its own.
      let made = provider()
      return entries.withLock { entries in
        if case .value(let value) = entries[key] { return value as? Dependency }
        entries[key] = .value(made)
        return made as? Dependency
      }
    case nil: return nil
    }
  }
}

/// Something of the app that an intent or a query uses.
///
/// Reading one that nobody has added ends the process, with the words of Apple's systems; the
/// caller is told them.
@propertyWrapper
public struct AppDependency<Value: Sendable>: Sendable {
  private let find: @Sendable () -> Value?
  /// The type and, if there is one, the key.
  private let name: String

  public init() { self.init(key: String?.none) }

  /// - Parameter key: Tells several of one type apart.
  public init(
    key: (some Hashable & Sendable)?, manager: AppDependencyManager = .shared
  ) {
    find = { manager.value(Value.self, key: key) }
    name = "\(Value.self)" + (key.map { " with the key '\($0)'" } ?? "")
  }

  public var wrappedValue: Value {
    guard let value = find() else {
      fatalError(
        "AppDependency \(name) was not initialized prior to access; add it with "
          + "AppDependencyManager.shared.add before the app serves intents")
    }
    return value
  }
}

/// A dependency without regard to its type.
private protocol AnyAppDependency {
  var missingName: String? { get }
}

extension AppDependency: AnyAppDependency {
  fileprivate var missingName: String? { find() == nil ? name : nil }
}

/// The type and key of a dependency of an intent or a query that nobody has added.
package func missingDependency(of value: Any) -> String? {
  for child in Mirror(reflecting: value).children {
    if let name = (child.value as? any AnyAppDependency)?.missingName { return name }
  }
  return nil
}
