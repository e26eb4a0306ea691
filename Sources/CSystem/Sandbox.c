// The maker of sandboxes, which is a copy of its caller and may call what is safe after fork(2) in
// a process with threads (signal-safety(7)), and no more; and what its caller calls.
#include "SandboxParts.h"

#include "include/CSystem.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

struct making {
  enum carrel_network network;
  bool is_for_copying;
  uint64_t private_size;
};

struct made {
  int32_t process;
  int32_t error;
};

/// Goes into a namespace for users in which nothing but the own IDs exist.
static bool enter_users(void) {
  uint32_t numbers[2] = {geteuid(), getegid()};
  if (syscall(SYS_unshare, CLONE_NEWUSER) < 0) return false;
  static const char *const files[2] = {"/proc/self/uid_map", "/proc/self/gid_map"};
  if (!carrel_sandbox_write_text("/proc/self/setgroups", "deny") && errno != ENOENT) return false;
  for (int index = 0; index < 2; index++) {
    char map[64];
    char *end = carrel_append_number(map, numbers[index]);
    *end++ = ' ';
    end = carrel_append_number(end, numbers[index]);
    memcpy(end, " 1", 3);
    if (!carrel_sandbox_write_text(files[index], map)) return false;
  }
  return true;
}

/// Takes the texts of a request apart; they stay where they are.
static bool read_layout(struct layout *layout, int content) {
  struct stat status;
  if (fstat(content, &status) < 0) return false;
  layout->bind_count = layout->cover_count = layout->size = 0;
  if (status.st_size == 0) return true;
  layout->texts = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, content, 0);
  if (layout->texts == MAP_FAILED) return false;
  layout->size = (size_t)status.st_size;
  const char *text = layout->texts;
  const char *end = text + layout->size;
  errno = EINVAL;
  if (end[-1] != 0) return false;
  while (text < end) {
    const char *source = text + 1;
    const char *target = text + strlen(text) + 1;
    if (target >= end) return false;
    if (*text == 'c') {
      if (layout->cover_count == highest_bind_count) return false;
      layout->covers[layout->cover_count++] = source;
    } else {
      if (layout->bind_count == highest_bind_count) return false;
      struct bind *bind = &layout->binds[layout->bind_count++];
      *bind = (struct bind){.source = source, .target = target, .is_writable = *text == 'w'};
      if (*text == 'o') {
        bind->upper = target = target + strlen(target) + 1;
        if (target >= end) return false;
        bind->work = target = target + strlen(target) + 1;
        if (target >= end) return false;
      }
    }
    text = target + strlen(target) + 1;
  }
  return true;
}

static pid_t clone_sibling(uint64_t flags, int *pidfd) {
  struct clone_args arguments = {
      .flags = flags | CLONE_PARENT | CLONE_PIDFD, .pidfd = (uint64_t)(uintptr_t)pidfd};
  return (pid_t)syscall(SYS_clone3, &arguments, sizeof arguments);
}

int carrel_sandbox_namespace_set(enum carrel_network network) {
  int set = CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS;
  return network == carrel_network_host ? set : set | CLONE_NEWNET;
}

/// Makes one sandbox. Returns false when nobody asks any more.
static bool make_one(bool *has_users) {
  static struct layout layout;
  struct making making;
  int descriptors[2];
  ssize_t size = carrel_receive_message(control_number, &making, sizeof making, descriptors, 2);
  if (size != sizeof making || descriptors[0] < 0 || descriptors[1] < 0) return false;
  layout.network = making.network;
  layout.is_for_copying = making.is_for_copying;
  layout.private_size = making.private_size;
  uint64_t flags = making.is_for_copying
                       ? CLONE_NEWNS
                       : (uint64_t)carrel_sandbox_namespace_set(making.network);
  int pidfd = -1;
  pid_t process = -1;
  if (read_layout(&layout, descriptors[0])) {
    process = *has_users || geteuid() == 0 ? clone_sibling(flags, &pidfd) : -1;
    if (process < 0 && !*has_users && (geteuid() != 0 || errno == EPERM)) {
      // Also root without the right to make namespaces may get it in one for users.
      *has_users = enter_users();
      if (*has_users) process = clone_sibling(flags, &pidfd);
    }
  }
  if (process == 0) carrel_sandbox_live(&layout, descriptors[1]);
  struct made made = {process, process < 0 ? errno : 0};
  close(descriptors[0]);
  close(descriptors[1]);
  if (layout.size > 0) munmap(layout.texts, layout.size);
  bool is_told = carrel_send_message(control_number, &made, sizeof made, &pidfd, pidfd >= 0) == 0;
  if (pidfd >= 0) close(pidfd);
  return is_told;
}

// ---- In the caller.

pid_t carrel_sandbox_maker(int *control) {
  int sockets[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) < 0) return -1;
  int own = (int)syscall(SYS_pidfd_open, getpid(), 0);
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  struct clone_args arguments = {.exit_signal = SIGCHLD};
  pid_t child = own < 0 ? -1 : (pid_t)syscall(SYS_clone3, &arguments, sizeof arguments);
  if (child == 0) {
    carrel_sandbox_detach(sockets[1], own, "carrel-maker");
    bool has_users = false;
    while (make_one(&has_users)) {}
    _exit(0);
  }
  int error = errno;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  close(sockets[1]);
  if (own >= 0) close(own);
  if (child < 0) close(sockets[0]);
  // It takes a fraction of a millisecond, unless the machine has stopped it.
  struct timeval patience = {.tv_sec = 10};
  if (child > 0) setsockopt(sockets[0], SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  errno = error;
  *control = sockets[0];
  return child;
}

pid_t carrel_sandbox_start(int maker, const struct carrel_sandbox_request *request, int *pidfd,
                           int *control) {
  int sockets[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) < 0) return -1;
  struct making making = {
      .network = request->network,
      .is_for_copying = request->is_for_copying,
      .private_size = request->private_size,
  };
  struct made made;
  int descriptors[2] = {request->content, sockets[1]};
  int error = 0;
  if (carrel_send_message(maker, &making, sizeof making, descriptors, 2) < 0) {
    error = errno == ECONNRESET ? EPIPE : errno;
  } else if (carrel_receive_message(maker, &made, sizeof made, pidfd, 1) != sizeof made) {
    // Its answer may come later, and would be taken for that to another request.
    error = EPIPE;
  } else if (made.process < 0) {
    error = made.error;
  } else if (*pidfd < 0) {
    // There was no number left for the descriptor.
    error = EMFILE;
    kill(made.process, SIGKILL);
    while (waitpid(made.process, NULL, 0) < 0 && errno == EINTR) {}
  }
  close(sockets[1]);
  if (error != 0) {
    close(sockets[0]);
    errno = error;
    return -1;
  }
  fcntl(sockets[0], F_SETFL, O_NONBLOCK);
  *control = sockets[0];
  return made.process;
}

static int ask(int control, struct service_request request, const int *descriptors,
               size_t count) {
  return carrel_send_message(control, &request, sizeof request, descriptors, count);
}

int carrel_sandbox_spawn(int control, int content, const int *descriptors, size_t count,
                         const int *groups, size_t group_count) {
  if (count + group_count > highest_descriptor_count) {
    errno = EINVAL;
    return -1;
  }
  int all[highest_descriptor_count + 1] = {content};
  memcpy(all + 1, groups, sizeof(int) * group_count);
  memcpy(all + 1 + group_count, descriptors, sizeof(int) * count);
  struct service_request request = {.kind = request_spawn, .groups = (int32_t)group_count};
  return ask(control, request, all, count + group_count + 1);
}

int carrel_sandbox_signal(int control, pid_t process, int signal) {
  struct service_request request = {
      .kind = request_signal, .process = process, .signal = signal};
  return ask(control, request, NULL, 0);
}

int carrel_sandbox_receive(int control, struct carrel_sandbox_message *message, int *descriptor) {
  ssize_t size = carrel_receive_message(control, message, sizeof *message, descriptor, 1);
  // A process that ended with a request unread: what it had said comes after the error.
  if (size < 0 && errno == ECONNRESET)
    size = carrel_receive_message(control, message, sizeof *message, descriptor, 1);
  if (size < 0) return errno == EAGAIN ? 0 : -1;
  return size == sizeof *message ? 1 : -1;
}
