/// What the library of a package that depends on it says.
public func greeting(_ name: String) -> String { "Hello, \(name)!" }
