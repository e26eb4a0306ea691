// A terminal between two programs.
#pragma once

/// Makes a pseudoterminal (pty(7)). Both ends are close-on-exec, the first is non-blocking, and
/// neither becomes the controlling terminal of the caller.
///
/// Returns the end of who shows it, and stores that of the program which uses it; or returns -1
/// with errno set.
int carrel_pseudo_terminal(int *program);
