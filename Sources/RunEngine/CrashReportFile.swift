import FoundationEssentials
import Glibc
import RunModel
import SystemFiles
import Workers

/// A crash report of Swift's backtracer: `NAME-PID-NUMBER.json`, or `.log` from other toolchains.
struct CrashReportFile {
  let name: String
  let path: String
  let pid: Int32
  /// Seconds since 1970.
  let writtenAt: Double

  /// The reports in a folder, by name; none when the folder, or the one above, is a link.
  static func all(in folder: String) -> [CrashReportFile] {
    guard
      let above = try? OwnedDescriptor(
        opening: SystemFiles.folder(of: folder), O_RDONLY | O_DIRECTORY | O_NOFOLLOW),
      let reports = try? OwnedDescriptor(
        at: above.number, Array(lastComponent(of: folder).utf8),
        O_RDONLY | O_DIRECTORY | O_NOFOLLOW),
      let names = try? listFolder(reports.number)
    else { return [] }
    return names.map { String(decoding: $0, as: UTF8.self) }.sorted().compactMap { name in
      let parts = name.split(separator: "-")
      guard parts.count >= 3, let pid = Int32(parts[parts.count - 2]),
        let info = try? status(of: Array(name.utf8), in: reports.number), info.isRegular
      else { return nil }
      return CrashReportFile(
        name: name, path: "\(folder)/\(name)", pid: pid,
        writtenAt: Double(info.st_mtim.tv_sec) + Double(info.st_mtim.tv_nsec) / 1e9)
    }
  }

  /// Whether the file has the name that ``collect(as:)`` gives.
  var isCollected: Bool { name.split(separator: "-").last?.hasPrefix("carrel") ?? false }

  /// Gives the file a name that its process does not use.
  func collect(as number: Int) {
    guard let dash = path.lastIndex(of: "-") else { return }
    let ending = path[dash...].drop { $0 != "." }
    _ = rename(path, "\(path[..<dash])-carrel\(number)\(ending)")
  }

  /// What a report says of the crash.
  struct Summary {
    /// For example `Illegal instruction`.
    var description: String?
    /// The innermost function with a place in the package's sources.
    var function: String?
    var location: SourceLocation?
  }

  /// - Parameter package: Absolute path of the package.
  func summary(package: String) -> Summary {
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
    guard let bytes = readSmallFile(path, .regularFileOnly),
      let report = try? JSONDecoder().decode(Report.self, from: Data(bytes))
    else { return Summary() }
    let frames = report.threads?.first { $0.crashed == true }?.frames ?? []
    let placed = frames.filter { $0.sourceLocation?.line ?? 0 > 0 && $0.system != true }
    // A package that was moved after it was built knows its old paths only.
    let frame =
      placed.first { $0.sourceLocation?.file.hasPrefix(package + "/") ?? false } ?? placed.first
    return Summary(
      description: report.description,
      function: frame?.description.map { text in
        // `function() + 118`: the offset differs from build to build.
        text.firstRange(of: " + ").map { String(text[..<$0.lowerBound]) } ?? text
      },
      location: frame?.sourceLocation.map {
        SourceLocation(file: $0.file, line: $0.line, column: $0.column)
      })
  }

  /// The report without the contents of registers and memory, which can hold secrets of the program
  /// under test; as it is when it is no JSON.
  func shareable() -> [UInt8]? {
    guard let bytes = readSmallFile(path, .regularFileOnly) else { return nil }
    guard var report = try? JSONDecoder().decode(JSONValue.self, from: Data(bytes)) else {
      return bytes
    }
    report.remove(["capturedMemory", "registers"])
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
    return (try? encoder.encode(report)).map { Array($0) + [10] }
  }
}

/// Any JSON.
enum JSONValue: Codable {
  case null
  case bool(Bool)
  case number(Double)
  case string(String)
  case array([JSONValue])
  case object([String: JSONValue])

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Double.self) {
      self = .number(value)
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode([JSONValue].self) {
      self = .array(value)
    } else {
      self = .object(try container.decode([String: JSONValue].self))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let value): try container.encode(value)
    case .number(let value):
      if let whole = Int(exactly: value) {
        try container.encode(whole)
      } else {
        try container.encode(value)
      }
    case .string(let value): try container.encode(value)
    case .array(let value): try container.encode(value)
    case .object(let value): try container.encode(value)
    }
  }

  /// Removes members of these names, at any depth.
  mutating func remove(_ names: Set<String>) {
    switch self {
    case .array(let values):
      self = .array(
        values.map {
          var value = $0
          value.remove(names)
          return value
        })
    case .object(let members):
      self = .object(
        members.filter { !names.contains($0.key) }.mapValues {
          var value = $0
          value.remove(names)
          return value
        })
    default: break
    }
  }
}
