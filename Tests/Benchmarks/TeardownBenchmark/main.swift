import Glibc
import RunModel
import Workers

// Kills a process with a tree of 100 others and prints the seconds until all are gone: a quarter
// each in its group, in sessions of their own, deaf to SIGTERM, and both. Prints the same of a
// process that ends by itself and leaves the tree behind, which gets 0.1 s to end by itself.

let script = #"""
  i=0
  while [ $i -lt 25 ]; do
    i=$((i + 1))
    sleep 1000 &
    (setsid sleep 1000 &)
    (trap '' TERM; sleep 1000 &)
    (setsid sh -c 'trap "" TERM; exec sleep 1000' &)
  done
  marked() {
    cat /proc/[0-9]*/environ 2>/dev/null | tr '\0' '\n' | grep -c "^CARREL_SCOPE=$CARREL_SCOPE$"
  }
  until [ "$(marked)" -ge 101 ]; do :; done
  echo ready
  [ "$1" = leave ] || wait
  """#

struct Failure: Error {
  var text: String
}

/// - Parameter argument: `leave` for a process that ends by itself.
/// - Returns: Seconds, and the number of processes that were left behind.
func measure(_ argument: String) throws -> (seconds: Double, named: Int) {
  let loop = try EventLoop()
  let registry = try ProcessRegistry(ownsAllChildren: true)
  var began = 0.0
  var ended: Double?
  var named = 0
  var process: SupervisedProcess?
  process = try SupervisedProcess(
    ProcessRequest(
      executable: "/bin/sh", arguments: ["-c", script, "sh", argument],
      environment: ["PATH": "/usr/bin:/bin"], scope: "teardown-\(getpid())-\(argument)"),
    loop: loop, registry: registry,
    onOutput: { _, _ in
      began = monotonicSeconds()
      if argument != "leave" { process?.terminate(grace: 0) }
    },
    onEnd: { _, leaks in
      ended = monotonicSeconds()
      named = leaks.count
    })
  loop.run { ended != nil }
  process = nil
  guard ProcessTable.children().isEmpty else { throw Failure(text: "processes are left") }
  return ((ended ?? began) - began, named)
}

for argument in ["kill", "leave"] {
  let (seconds, named) = try measure(argument)
  print("\(argument): \(seconds)")
  print("\(argument) named: \(named)")
}
