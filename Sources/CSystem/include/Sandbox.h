// A sandbox: namespaces of their own for the processes of a batch, with a first process that starts
// the others on request and tells how they end.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// What is on the network inside.
enum carrel_network {
  /// What the caller has.
  carrel_network_host = 0,
  /// A loopback interface of its own, and nothing else.
  carrel_network_loopback = 1,
  /// Nothing, not even a loopback interface that is up.
  carrel_network_none = 2,
};

/// How the file system looks inside: as outside, but read-only, with private folders at /tmp,
/// /var/tmp and /dev/shm, a /dev with harmless devices only, a /proc of its own, and what the file
/// says in its place.
struct carrel_sandbox_request {
  /// A file with texts, each ended by a zero byte, at most 64 entries of these kinds, which are put
  /// into place in their order:
  ///
  /// - `r` and the absolute path of a file or folder outside, then its absolute path inside;
  /// - the same with `w` for one that can be written;
  /// - the same with `o` for a folder that stays as it is while what is written goes elsewhere
  ///   (overlayfs, Linux 5.11), then the absolute paths of two empty folders of one file system for
  ///   that, the first with the mode and times of the overlay's folder;
  /// - `c` and the absolute path of a folder in whose place an empty one is seen, then an empty
  ///   text.
  ///
  /// What is missing of a path inside is made when it lies in a private folder.
  int content;
  enum carrel_network network;
  /// Whether it is one for a process that will be copied into other sandboxes
  /// (fork_orphan of the observer's warm.c): with the file system of a sandbox, but with the
  /// caller's processes, network, IPC and host name, and with the privileges that joining needs.
  bool is_for_copying;
  /// Bytes that the private folders hold at most, each; 0 for the system's own limit.
  uint64_t private_size;
};

/// The steps of making a sandbox, as they are told when one fails.
enum carrel_sandbox_step {
  carrel_sandbox_namespaces = 1,
  carrel_sandbox_users,
  carrel_sandbox_sources,
  carrel_sandbox_read_only,
  carrel_sandbox_private_folders,
  carrel_sandbox_targets,
  carrel_sandbox_proc,
  carrel_sandbox_network_up,
  carrel_sandbox_privileges,
  carrel_sandbox_overlays,
};

/// What the first process says.
enum carrel_sandbox_message_kind {
  /// The sandbox is made.
  carrel_sandbox_ready = 1,
  /// It cannot be made: the step and the system's error. The process ends.
  carrel_sandbox_failed = 2,
  /// A process was started: its PID inside. A pidfd comes with it.
  carrel_sandbox_started = 3,
  /// A process could not be started: the system's error.
  carrel_sandbox_not_started = 4,
  /// A process that was started has ended: its PID inside and its status (wait(2)).
  carrel_sandbox_ended = 5,
};

struct carrel_sandbox_message {
  int32_t kind;
  int32_t first;
  int32_t second;
};

/// Starts a process that makes sandboxes on request. It is killed when the calling thread ends, and
/// ends when `control` is closed. It is small, so that its copies are made quickly, and it holds
/// the namespace for users (user_namespaces(7)) that an ordinary user needs for other namespaces.
///
/// Returns its PID and stores a socket for requests, close-on-exec; or returns -1 with errno set.
pid_t carrel_sandbox_maker(int *control);

/// Has the first process of a sandbox started, which makes it by itself, and is a child of this
/// process. It and all that it starts are killed when the thread that started the maker ends or
/// `control` is closed.
///
/// Returns its PID, stores a pidfd and a socket for messages (unix(7), SOCK_SEQPACKET), both
/// close-on-exec, the socket non-blocking; or returns -1 with errno set: EPIPE when the maker has
/// ended.
pid_t carrel_sandbox_start(int maker, const struct carrel_sandbox_request *request, int *pidfd,
                           int *control);

/// The namespaces of a sandbox, as setns(2) wants them.
int carrel_sandbox_namespace_set(enum carrel_network network);

/// The capabilities that processes in a sandbox may have: bit i for the capability with the number
/// i (capabilities(7)).
uint64_t carrel_sandbox_capability_set(enum carrel_network network);

/// Asks for a process. `content` is a file with the path, the working directory (empty for /), the
/// number of arguments, the number of limits, the limits (`7 64` for a resource and its value,
/// `processor 3`, `umask 18` with a decimal mask, `terminal`), the arguments, and the variables,
/// each ended by a zero byte, and one zero byte more. The process leads a session of its own; its
/// descriptor i is a duplicate of descriptors[i]. Before that it joins the control groups whose
/// files `cgroup.procs` are given.
///
/// 0, or -1 with errno set.
int carrel_sandbox_spawn(int control, int content, const int *descriptors, size_t count,
                         const int *groups, size_t group_count);

/// Asks for a signal to the process group of a process that was started, unless it has ended.
///
/// 0, or -1 with errno set.
int carrel_sandbox_signal(int control, pid_t process, int signal);

/// The next message. Stores the descriptor that came with it, close-on-exec, or -1.
///
/// 1; 0 when there is none now; -1 when there will be no more.
int carrel_sandbox_receive(int control, struct carrel_sandbox_message *message, int *descriptor);
