#include "include/Terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

int carrel_pseudo_terminal(int *program) {
  int shown = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (shown < 0) return -1;
  char name[128];
  *program = -1;
  // Some systems forget the flags that posix_openpt(3) does not have to take.
  if (grantpt(shown) == 0 && unlockpt(shown) == 0 && ptsname_r(shown, name, sizeof name) == 0
      && fcntl(shown, F_SETFD, FD_CLOEXEC) == 0 && fcntl(shown, F_SETFL, O_NONBLOCK) == 0)
    *program = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (*program >= 0) return shown;
  int error = errno;
  close(shown);
  errno = error;
  return -1;
}
