import Foundation

// The least that an executable with Foundation does before it can answer.
FileHandle.standardOutput.write(Data("\(ProcessInfo.processInfo.processIdentifier)\n".utf8))
