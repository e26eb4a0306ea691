import PlannedTests
import XCTest

XCTMain([testCase(PlannedCase.allTests)])
