/// Names of system calls in which threads wait.
enum SystemCallName {
  #if arch(x86_64)
    private static let names: [Int: String] = [
      0: "read", 1: "write", 7: "poll", 23: "select", 34: "pause", 35: "nanosleep", 43: "accept",
      45: "recvfrom", 47: "recvmsg", 61: "wait4", 72: "fcntl", 73: "flock", 128: "rt_sigtimedwait",
      130: "rt_sigsuspend", 202: "futex", 219: "restart_syscall", 230: "clock_nanosleep",
      232: "epoll_wait", 247: "waitid", 270: "pselect6", 271: "ppoll", 281: "epoll_pwait",
      288: "accept4",
    ]
  #elseif arch(arm64)
    private static let names: [Int: String] = [
      22: "epoll_pwait", 25: "fcntl", 32: "flock", 63: "read", 64: "write", 72: "pselect6",
      73: "ppoll", 95: "waitid", 98: "futex", 101: "nanosleep", 115: "clock_nanosleep",
      128: "restart_syscall", 133: "rt_sigsuspend", 137: "rt_sigtimedwait", 202: "accept",
      207: "recvfrom", 212: "recvmsg", 242: "accept4", 260: "wait4",
    ]
  #else
    private static let names: [Int: String] = [:]
  #endif

  /// A line of `/proc/PID/task/TID/syscall` (proc_pid_syscall(5)) for people: the number, the
  /// arguments, and the thread's stack pointer and program counter, or a word.
  ///
  /// - Returns: `futex(0x7f…, 0x80, …)`, or the line when it is of another form.
  static func text(_ line: String) -> String {
    let words = line.split(separator: " ").map { String($0) }
    guard words.count == 9, let number = Int(words[0]) else { return line }
    let name = names[number] ?? "system call \(number)"
    return "\(name)(\(words[1...6].joined(separator: ", "))), at \(words[8])"
  }
}
