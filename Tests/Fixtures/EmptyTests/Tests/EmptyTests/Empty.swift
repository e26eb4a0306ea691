/// A test target in which there is no test.
func helper() -> Int { 42 }
