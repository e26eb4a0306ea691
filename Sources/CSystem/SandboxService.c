// In the first process of a sandbox, which is a copy of its caller and may call what is safe after
// fork(2) in a process with threads (signal-safety(7)), and no more.
//
// Starting processes on request, and telling how they end.
#include "SandboxParts.h"

#include "include/CSystem.h"
#include "start.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

void carrel_sandbox_say(int control, int32_t kind, int32_t first, int32_t second, int descriptor) {
  struct carrel_sandbox_message message = {kind, first, second};
  size_t count = descriptor >= 0 ? 1 : 0;
  if (carrel_send_message(control, &message, sizeof message, &descriptor, count) < 0) _exit(1);
}

void carrel_sandbox_fail(int control, enum carrel_sandbox_step step) {
  carrel_sandbox_say(control, carrel_sandbox_failed, step, errno, -1);
  _exit(1);
}

/// Runs in the child between vfork and exec; only returns on failure, with errno set.
static void become(const struct carrel_start *start, const int *groups, size_t group_count,
                   const int *descriptors, size_t count) {
  if (!carrel_join_groups(groups, group_count)) return;
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  // Where the end of the first process is not the end of all.
  if (setsid() < 0 || prctl(PR_SET_PDEATHSIG, SIGKILL) < 0) return;
  if (!carrel_place_descriptors(descriptors, count)) return;
  if (chdir(*start->directory != 0 ? start->directory : "/") < 0) return;
  if (!carrel_take_limits(start)) return;
  execve(start->arguments[0], start->arguments, start->variables);
}

/// Starts a process; what is asked for is in the first descriptor, control groups in the next ones.
static void spawn(int control, int *descriptors, size_t count, size_t groups) {
  struct stat status;
  char *content = MAP_FAILED;
  if (fstat(descriptors[0], &status) == 0) {
    content = mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE,
                   descriptors[0], 0);
  }
  struct carrel_start start;
  bool is_read =
      content != MAP_FAILED && carrel_read_start(content, (size_t)status.st_size, &start);
  volatile int failure = is_read ? 0 : errno;
  pid_t child = -1;
  if (is_read) {
    child = vfork();
    if (child == 0) {
      become(&start, descriptors + 1, groups, descriptors + 1 + groups, count - 1 - groups);
      failure = errno != 0 ? errno : EINVAL;
      _exit(127);
    }
    if (child < 0) failure = errno;
    carrel_forget_start(&start);
  }
  if (content != MAP_FAILED) munmap(content, (size_t)status.st_size);
  for (size_t index = 0; index < count; index++) close(descriptors[index]);
  int pidfd = failure == 0 ? (int)syscall(SYS_pidfd_open, child, 0) : -1;
  if (failure == 0 && pidfd < 0) failure = errno;
  if (failure != 0) {
    if (child > 0) {
      kill(child, SIGKILL);
      while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {}
    }
    carrel_sandbox_say(control, carrel_sandbox_not_started, failure, 0, -1);
    return;
  }
  carrel_sandbox_say(control, carrel_sandbox_started, child, 0, pidfd);
  close(pidfd);
}

/// Whether a child of this process has not been reaped.
static bool is_child(pid_t process) {
  siginfo_t info;
  return waitid(P_PID, (id_t)process, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

/// Does what is asked for.
///
/// Returns false when nobody asks any more.
static bool take_request(int control) {
  struct service_request request;
  int descriptors[highest_descriptor_count + 1];
  ssize_t size = carrel_receive_message(control, &request, sizeof request, descriptors,
                                        highest_descriptor_count + 1);
  if (size < 0) return errno == EAGAIN;
  if (size != sizeof request) return false;
  size_t count = 0;
  while (count <= highest_descriptor_count && descriptors[count] >= 0) count++;
  size_t groups = (size_t)request.groups;
  if (request.kind == request_spawn && request.groups >= 0 && count > groups) {
    spawn(control, descriptors, count, groups);
  } else if (request.kind == request_signal && request.process > 1 && is_child(request.process)) {
    kill(-request.process, request.signal);
    kill(request.process, request.signal);
  }
  return true;
}

/// Serves until nobody asks any more. Orphans are reaped, too; what is told of them nobody knows.
static void serve(int control) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  int children = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  if (children < 0) _exit(1);
  struct pollfd ready[2] = {{.fd = control, .events = POLLIN}, {.fd = children, .events = POLLIN}};
  for (;;) {
    if (poll(ready, 2, -1) < 0 && errno != EINTR) _exit(1);
    if (ready[1].revents != 0) {
      struct signalfd_siginfo info;
      while (read(children, &info, sizeof info) > 0) {}
      int status;
      pid_t child;
      while ((child = waitpid(-1, &status, WNOHANG)) > 0) {
        carrel_sandbox_say(control, carrel_sandbox_ended, child, status, -1);
      }
    }
    if (ready[0].revents != 0 && !take_request(control)) _exit(0);
  }
}

void carrel_sandbox_detach(int control, int parent, const char *name) {
  struct sigaction standard = {.sa_handler = SIG_DFL};
  for (int number = 1; number < NSIG; number++) {
    if (number != SIGKILL && number != SIGSTOP) sigaction(number, &standard, NULL);
  }
  struct pollfd life = {.fd = parent, .events = POLLIN};
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || poll(&life, 1, 0) != 0) _exit(1);
  prctl(PR_SET_NAME, name);
  setsid();
  int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  int moved = fcntl(control, F_DUPFD_CLOEXEC, parent_number + 1);
  int kept = fcntl(parent, F_DUPFD_CLOEXEC, parent_number + 1);
  if (null < 0 || moved < 0 || kept < 0) _exit(1);
  for (int number = 0; number < control_number; number++) {
    if (dup2(null, number) < 0) _exit(1);
  }
  if (dup3(moved, control_number, O_CLOEXEC) < 0 || dup3(kept, parent_number, O_CLOEXEC) < 0)
    _exit(1);
  syscall(SYS_close_range, parent_number + 1, ~0U, 0);
}

void carrel_sandbox_live(const struct layout *layout, int control) {
  carrel_sandbox_detach(control, parent_number, "carrel-sandbox");
  close(parent_number);
  carrel_sandbox_make(layout, control_number);
  carrel_sandbox_say(control_number, carrel_sandbox_ready, 0, 0, -1);
  serve(control_number);
}
