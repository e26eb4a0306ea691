import FoundationEssentials
package import RunModel
import SystemFiles

/// What a crash report of Swift's backtracer says of the crash.
package struct CrashSummary: Sendable {
  /// For example `Illegal instruction`.
  package var description: String?
  /// The innermost function with a place in the package's sources.
  package var function: String?
  package var location: SourceLocation?

  /// Empty when the report cannot be read.
  ///
  /// - Parameters:
  ///   - bytes: The report as JSON.
  ///   - package: Absolute path of the package.
  package init(ofReport bytes: [UInt8], package: String) {
    struct Report: Decodable {
      struct Place: Decodable {
        var file: String
        var line: Int
        var column: Int?
      }
      struct Frame: Decodable {
        var description: String?
        var sourceLocation: Place?
        var system: Bool?
      }
      struct Thread: Decodable {
        var crashed: Bool?
        var frames: [Frame]?
      }
      var description: String?
      var threads: [Thread]?
    }
    guard let report = try? JSONDecoder().decode(Report.self, from: Data(bytes)) else { return }
    let frames = report.threads?.first { $0.crashed == true }?.frames ?? []
    let known = frames.filter { $0.sourceLocation?.line ?? 0 > 0 && $0.system != true }
    // What a macro has written is in no file, and the compiler's name for it is now in the
    // package's folder and now elsewhere.
    let written = known.filter {
      $0.sourceLocation.map { !lastComponent(of: $0.file).hasPrefix("@__swiftmacro_") } ?? false
    }
    let placed = written.isEmpty ? known : written
    // A package that was moved after it was built knows its old paths only.
    let frame =
      placed.first { $0.sourceLocation?.file.hasPrefix(package + "/") ?? false } ?? placed.first
    description = report.description
    function = frame?.description.map { text in
      // `function() + 118`: the offset differs from build to build.
      text.firstRange(of: " + ").map { String(text[..<$0.lowerBound]) } ?? text
    }
    location = frame?.sourceLocation.map {
      SourceLocation(file: $0.file, line: $0.line, column: $0.column)
    }
  }
}
