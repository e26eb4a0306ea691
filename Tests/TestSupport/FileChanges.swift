import Glibc

/// Changes the first byte of a file through memory that it is mapped to and that was read before
/// (mmap(2)): on tmpfs neither time of the file changes then.
///
/// - Returns: Whether it was done.
package func writeThroughMapping(_ path: String, _ byte: UInt8) -> Bool {
  let file = open(path, O_RDWR | O_CLOEXEC)
  guard file >= 0 else { return false }
  defer { close(file) }
  guard let memory = mmap(nil, 1, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0),
    memory != MAP_FAILED
  else { return false }
  defer { munmap(memory, 1) }
  guard memory.load(as: UInt8.self) != byte else { return false }
  memory.storeBytes(of: byte, as: UInt8.self)
  return true
}

/// Waits some milliseconds, until the clock by which files are stamped stands later than the last
/// change of what lies at a path.
package func waitForClock(past path: String) {
  var (status, clock) = (stat(), timespec())
  guard lstat(path, &status) == 0 else { return }
  let changed = status.st_ctim
  repeat {
    clock_gettime(CLOCK_REALTIME_COARSE, &clock)
  } while (clock.tv_sec, clock.tv_nsec) <= (changed.tv_sec, changed.tv_nsec)
}
