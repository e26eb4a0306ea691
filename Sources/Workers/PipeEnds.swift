import Glibc
import SystemFiles

/// An end of a pipe that a process has open.
struct PipeEnd: Hashable {
  /// The lowest number of its descriptors.
  var file: Int
  var reads: Bool
  var writes: Bool
}

extension ProcessTable {
  /// The pipes that a process has open, by their inode (proc_pid_fd(5), proc_pid_fdinfo(5)); none
  /// when its descriptors cannot be read.
  static func pipeEnds(of pid: Int32) -> [UInt64: PipeEnd] {
    var ends: [UInt64: PipeEnd] = [:]
    for name in folderEntries("/proc/\(pid)/fd") ?? [] {
      guard let file = Int(name), let inode = inode(ofDescriptor: file, of: pid, after: "pipe:["),
        let mode = accessMode(ofDescriptor: file, of: pid)
      else { continue }
      var end = ends[inode] ?? PipeEnd(file: file, reads: false, writes: false)
      end.file = min(end.file, file)
      end.reads = end.reads || mode != O_WRONLY
      end.writes = end.writes || mode != O_RDONLY
      ends[inode] = end
    }
    return ends
  }

  /// Whether a process has a socket besides the ones that it opened as standard streams.
  static func holdsInheritedSocket(_ pid: Int32) -> Bool {
    (folderEntries("/proc/\(pid)/fd") ?? []).contains { name in
      guard let file = Int(name), file > 2 else { return false }
      return inode(ofDescriptor: file, of: pid, after: "socket:[") != nil
    }
  }

  private static func accessMode(ofDescriptor file: Int, of pid: Int32) -> Int32? {
    let text = String(
      decoding: readSmallFile("/proc/\(pid)/fdinfo/\(file)") ?? [], as: UTF8.self)
    for line in text.split(separator: "\n") where line.hasPrefix("flags:") {
      let digits = line.dropFirst("flags:".count).drop { $0 == " " || $0 == "\t" }
      return Int32(digits, radix: 8).map { $0 & O_ACCMODE }
    }
    return nil
  }
}
