/// A package without any test target.
public func answer() -> Int { 42 }
