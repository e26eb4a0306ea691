/// `command.json`: the exact command of a batch.
package struct RecordedCommand: Codable, Sendable {
  package var executable: String
  package var arguments: [String]
  package var environment: [String: String]
  package var directory: String?
  /// Where the container was.
  package var container: String
  /// The mask of permissions that new files did not get (umask(2)), in octal: `0022`; `nil` when it
  /// is not known.
  package var umask: String?

  /// - Parameter fileMask: See ``umask``.
  package init(
    executable: String, arguments: [String], environment: [String: String], directory: String?,
    container: String, fileMask: UInt32? = nil
  ) {
    umask = fileMask.map { mask in
      let digits = String(mask & 0o777, radix: 8)
      return String(repeating: "0", count: 4 - digits.count) + digits
    }
    self.executable = executable
    self.arguments = arguments
    self.environment = environment
    self.directory = directory
    self.container = container
  }

  /// The number that ``umask`` is; `nil` when that is no mask.
  package var fileMask: UInt32? {
    umask.flatMap { UInt32($0, radix: 8) }.flatMap { $0 <= 0o777 ? $0 : nil }
  }

  /// `repro.sh`: runs the test again with `carrel repro`, which needs the package.
  package var script: String {
    """
    #!/bin/sh
    # Runs the test of this bundle again in a container made from it.
    #   sh repro.sh BUNDLE [PACKAGE]     BUNDLE is the archive that this script came in,
    #                                    PACKAGE the test's package (default: the current folder).
    # Exit status: 0 reproduced, 10 passed, 11 failed differently.
    if [ $# -lt 1 ]; then
      echo "usage: sh repro.sh BUNDLE [PACKAGE]" >&2
      exit 2
    fi
    if ! command -v carrel >/dev/null 2>&1; then
      echo "carrel is not on PATH; install it, or run:" >&2
      echo "PATH=/path/to/carrel:\\$PATH sh repro.sh ..." >&2
      exit 127
    fi
    exec carrel repro "$@"

    """
  }
}
