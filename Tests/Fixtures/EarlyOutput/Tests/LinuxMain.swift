import EarlyTests
import XCTest

print("the main function was here first")
XCTMain([testCase(EarlyCase.allTests)])
