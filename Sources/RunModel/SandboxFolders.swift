/// The folders of a sandbox that hold nothing of what lies in them outside.
package enum SandboxFolders {
  /// Absolute paths. `SandboxSetup.c` of CSystem makes them, and `refusals.c.in` of the observer
  /// looks for paths in them.
  package static let hidden = ["/tmp", "/var/tmp", "/dev/shm"]
}
