// The process that ends a program's processes when the program itself was killed.
#pragma once

#include <sys/types.h>

/// Starts a child that waits for the caller's end and then kills every process whose environment,
/// as it was when the process was started, holds the variable with one of the watchdog's marks as
/// its value, or a mark followed by `-` and anything else. It looks again until none is left, for
/// at most 10 s, and ends.
///
/// The child is a copy of the caller (fork(2)) and executes nothing. It has a session of its own,
/// blocks all signals that can be blocked, has no descriptor but the reading end of a pipe, no
/// working directory but `/`, and neither the caller's arguments nor its environment: it is
/// `carrel-watchdog` in listings, and nobody takes it for a process of the caller's own scope.
///
/// Marks are lines that are written to the pipe; the first 16 of at most 127 bytes count.
///
/// Returns the child's PID and stores a pidfd and the writing end of the pipe, both close-on-exec,
/// or returns -1 with errno set; then no process is left behind. The end of the pipe is the signal:
/// a caller that ends in order kills the child first.
///
/// The variable's name must stay valid.
pid_t carrel_start_watchdog(const char *variable, int *pidfd, int *pipe_end);
