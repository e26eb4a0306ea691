import FreeTextTests
import XCTest

XCTMain([testCase(FreeTextCase.allTests), hiddenTests()])
