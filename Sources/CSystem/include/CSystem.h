// Linux system calls that Swift's Glibc module does not offer, and the one piece of code that runs
// between vfork and exec, where nothing of a runtime may run.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "Sandbox.h"
#include "Terminal.h"
#include "limits.h"
#include "Watchdog.h"

/// What to start.
struct carrel_spawn_request {
  /// Directory, limits, arguments and variables, as in `start.h`.
  const char *content;
  size_t content_size;
  /// The child's descriptor i is a duplicate of descriptors[i]; all others are closed.
  const int *descriptors;
  size_t descriptor_count;
  /// Descriptors of the files `cgroup.procs` of the control groups that it joins.
  const int *groups;
  size_t group_count;
};

/// Starts a process in a session of its own that is killed when the calling thread ends
/// (PR_SET_PDEATHSIG of prctl(2)).
///
/// Returns its PID and stores a pidfd (close-on-exec), or returns -1 with errno set; then no
/// process is left behind.
pid_t carrel_spawn(const struct carrel_spawn_request *request, int *pidfd);

/// pidfd_send_signal(2): 0, or -1 with errno set.
int carrel_pidfd_signal(int pidfd, int signal);

/// pidfd_open(2), close-on-exec: a descriptor, or -1 with errno set.
int carrel_pidfd_open(pid_t pid);

/// Makes the caller adopt orphaned descendants (PR_SET_CHILD_SUBREAPER of prctl(2)).
int carrel_become_subreaper(void);

/// How a child ended: sets `exited` to its status or -1 and `signaled` to its signal or -1.
/// Returns the PID, 0 when it has not ended, -1 with errno set when it is no child of ours.
pid_t carrel_reap(pid_t pid, int *exited, int *signaled);

/// Catches the given signals, but not those that are ignored: each is written as one byte, its
/// number, to a pipe. Also lets them through to the calling thread.
///
/// Only so many signals as are tolerated are caught; the next one has its default action, whatever
/// the program does at that moment. That is 1 until it is changed.
///
/// Returns the non-blocking reading end of the pipe, which stays open for good, or -1 with errno
/// set; EBUSY when signals are caught already.
int carrel_catch_signals(const int *signals, size_t count);

/// Says whether SIGTSTP, when it is caught, is written to the pipe like the others; else it stops
/// the process at once, as if it were not caught. It never counts as one of the signals that end.
void carrel_note_stops(bool noted);

/// Stops the process as SIGTSTP does when it is not caught, and returns when it is continued; at
/// once when the system ignores the signal because nobody could continue the process (setpgid(2),
/// orphaned process groups).
void carrel_stop(void);

/// Says how many signals are caught before the next one has its default action.
void carrel_tolerate_signals(int count);

/// Number of signals that have come since they are caught.
int carrel_signals_seen(void);

/// Gives the signals the effect that they had before carrel_catch_signals.
void carrel_release_signals(void);

/// The next signal in the pipe, or 0 when there is none.
int carrel_next_signal(int descriptor);

/// Opens /dev/null in place of each of the descriptors 0, 1 and 2 that is closed, so that no other
/// file gets its number. Returns a set of bits, 1 << N for each descriptor N that was closed.
int carrel_fill_standard_descriptors(void);

/// A non-blocking eventfd(2), close-on-exec.
int carrel_event_descriptor(void);

/// pipe2(2) with O_CLOEXEC, the read end non-blocking.
int carrel_pipe(int descriptors[2]);

/// Copies a file's content into a new file by the cheapest way the file system has: reflink,
/// in-kernel copy, read and write. 0, or -1 with errno set; the new file may stay then, with some
/// of the content.
///
/// With `only_shares` there is only the first way: the files share their blocks until either is
/// written to (FICLONE of ioctl(2)).
int carrel_copy_file(const char *from, const char *to, mode_t mode, bool only_shares);

/// Whether a file system sets the times of a file when memory that it is mapped to is written to
/// (mmap(2), MAP_SHARED), also after that was read. Said only of those of which it was measured,
/// ext2, ext3, ext4 and XFS; false of all others, and when statfs(2) fails. False of tmpfs, which
/// does not, and of overlays, which may lie on one.
bool carrel_notes_mapped_writes(const char *path);

/// Whether a folder in the upper layer of an overlay hides the lower one as a whole; false also
/// when its attributes cannot be read.
bool carrel_is_opaque(const char *path);

/// Takes the attributes away that a user can set at a folder (xattr(7)), access lists among them.
/// 0, or -1 with errno set: ERANGE when their names take more than 64 KiB, and then all stay.
int carrel_strip_attributes(const char *path);

/// O_PATH of open(2): a descriptor that only says where something is.
extern const int carrel_path_only;

/// SEEK_DATA of lseek(2): from an offset to the next one that is in no hole.
extern const int carrel_seek_data;

/// A pair of connected sockets that keep the boundaries of messages (unix(7), SOCK_SEQPACKET), both
/// close-on-exec, the first one non-blocking. 0, or -1 with errno set.
int carrel_socket_pair(int descriptors[2]);

/// Sends a message with descriptors (SCM_RIGHTS of unix(7)), at most 17; also after fork(2) in a
/// process with threads. 0, or -1 with errno set.
int carrel_send_message(int socket, const void *bytes, size_t size, const int *descriptors,
                        size_t count);

/// Receives a message with at most so many descriptors, at most 17, which are close-on-exec; those
/// that did not come are -1. Also after fork(2) in a process with threads.
///
/// Returns the number of bytes; 0 when the other end is closed; -1 with errno set.
ssize_t carrel_receive_message(int socket, void *bytes, size_t size, int *descriptors,
                               size_t count);

/// A file in memory with the given content (memfd_create(2)), close-on-exec: a descriptor, or -1
/// with errno set.
int carrel_memory_file(const void *bytes, size_t count);

/// The next connection of a listening socket, close-on-exec and non-blocking (accept4(2)): a
/// descriptor, or -1 with errno set.
int carrel_accept(int socket);
