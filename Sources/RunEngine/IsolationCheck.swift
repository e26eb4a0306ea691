import Glibc
import Workers

/// Proves with a real process that a sandbox keeps apart what it shall keep apart.
enum IsolationCheck {
  /// Prints a line for each promise that is not kept; only what every shell has itself is used, so
  /// that it takes as long as one process.
  private static let script = """
    for path in $CLOSED "$OTHER"; do
      if true 2>/dev/null > "$path/.carrel-check"; then
        rm -f "$path/.carrel-check"
        echo "a file can be written at $path, outside of the container"
      fi
    done
    for path in "$HOME" "$TMPDIR" /tmp; do
      true 2>/dev/null > "$path/.carrel-check" || echo "no file can be written at $path"
    done
    if true 2>/dev/null >> /proc/sys/kernel/core_pattern; then
      echo "settings of the machine can be changed in /proc/sys"
    fi
    if [ -e "$OTHER/index.sqlite" ]; then echo "another worker's container is seen at $OTHER"; fi
    count=0
    for process in /proc/[0-9]*; do count=$((count + 1)); done
    if [ $count -gt 2 ]; then echo "$count processes are seen, not only the batch's own"; fi
    if [ "$NETWORK" != host ]; then
      while read -r name rest; do
        case $name in
          lo:|Inter-\\|*|face) ;;
          *) echo "the network interface ${name%:} is seen" ;;
        esac
      done < /proc/net/dev
    fi
    if [ -r /etc/passwd ]; then
      while IFS=: read -r name password user group text home shell; do
        if [ "$user" = "$USER_ID" ] && [ "$home" != "$HOME" ]; then
          echo "the user database has the home folder $home, not the container's"
        fi
      done < /etc/passwd
    fi
    """

  /// Folders in which nothing can be written, unless somebody has allowed it.
  private static let closed = ["/", "/usr", "/etc", "/dev"]

  /// Why a sandbox cannot be had, or is none; `nil` when it is one.
  ///
  /// - Parameters: As for ``violations(of:container:other:using:until:)``.
  static func problem(
    of plan: SandboxPlan, container: Container, other: Container,
    using supervision: Sandbox.Supervision? = nil, until isOver: () -> Bool = { false }
  ) -> String? {
    do throws(WorkersError) {
      let violations = try violations(
        of: plan, container: container, other: other, using: supervision, until: isOver)
      guard !violations.isEmpty else { return nil }
      return "a sandbox does not keep what it shall on this machine: "
        + violations.joined(separator: "; ")
    } catch {
      // What to do about it depends on who asks, unless it is about an overlay.
      let advice = error.advice == Sandbox.overlayAdvice ? "; \(Sandbox.overlayAdvice)" : ""
      return error.message + (error.cause.map { ": \($0)" } ?? "") + advice
    }
  }

  /// What a sandbox does not keep.
  ///
  /// - Parameters:
  ///   - container: A container that nobody uses.
  ///   - other: That of another worker.
  ///   - supervision: As for ``Sandbox/output(of:_:environment:using:until:)``, like `isOver`.
  /// - Returns: A sentence without a full stop for each promise; empty when all are kept.
  /// - Throws: ``WorkersError`` when there is no sandbox.
  static func violations(
    of plan: SandboxPlan, container: Container, other: Container,
    using supervision: Sandbox.Supervision? = nil, until isOver: () -> Bool = { false }
  ) throws(WorkersError) -> [String] {
    let output = try Sandbox.output(
      of: script, plan.configuration(for: container),
      environment: [
        "HOME": SandboxPlan.view + "/home", "TMPDIR": SandboxPlan.view + "/tmp",
        "CLOSED": closed.filter { !plan.isWritable($0) }.joined(separator: " "),
        "OTHER": other.root, "NETWORK": plan.network.rawValue, "USER_ID": "\(geteuid())",
        "PATH": "/usr/bin:/bin",
      ], using: supervision, until: isOver)
    return output.split(separator: "\n").map { String($0) }
  }
}
