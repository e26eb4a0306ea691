import Evidence
import Glibc
import SwiftTests
import SystemFiles

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

  /// What the report says; empty when it cannot be read.
  ///
  /// - Parameter package: Absolute path of the package.
  func summary(package: String) -> CrashSummary {
    CrashSummary(ofReport: readSmallFile(path, .regularFileOnly) ?? [], package: package)
  }

  /// The report as it may be given away; see ``redactedCrashReport(_:)``.
  func shareable() -> (bytes: [UInt8], removed: [String: Int])? {
    readSmallFile(path, .regularFileOnly).flatMap { redactedCrashReport($0) }
  }
}
