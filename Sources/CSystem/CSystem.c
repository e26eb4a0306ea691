#include "include/CSystem.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/fs.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { highest_descriptor_count = 16 };

/// Runs in the child between vfork and exec; only returns on failure, with errno set.
static void become(const struct carrel_spawn_request *request, pid_t parent) {
  struct sigaction standard = {.sa_handler = SIG_DFL};
  for (int number = 1; number < NSIG; number++) {
    if (number != SIGKILL && number != SIGSTOP) sigaction(number, &standard, NULL);
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  if (request->new_session && setsid() < 0) return;
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0) return;
  if (getppid() != parent) {
    errno = ESRCH;
    return;
  }
  // First out of the way of the numbers they shall get.
  int moved[highest_descriptor_count];
  for (size_t index = 0; index < request->descriptor_count; index++) {
    moved[index] =
        fcntl(request->descriptors[index], F_DUPFD_CLOEXEC, (int)request->descriptor_count);
    if (moved[index] < 0) return;
  }
  for (size_t index = 0; index < request->descriptor_count; index++) {
    if (dup2(moved[index], (int)index) < 0) return;
  }
  syscall(SYS_close_range, (unsigned)request->descriptor_count, ~0U, CLOSE_RANGE_CLOEXEC);
  if (request->directory != NULL && chdir(request->directory) < 0) return;
  execve(request->path, request->argv, request->envp);
}

pid_t carrel_spawn(const struct carrel_spawn_request *request, int *pidfd) {
  if (request->descriptor_count > highest_descriptor_count) {
    errno = EINVAL;
    return -1;
  }
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  volatile int failure = 0;
  pid_t parent = getpid();
  pid_t child = vfork();
  if (child == 0) {
    become(request, parent);
    failure = errno != 0 ? errno : EINVAL;
    _exit(127);
  }
  int error = child < 0 ? errno : failure;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (error != 0) {
    if (child > 0) {
      while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {}
    }
    errno = error;
    return -1;
  }
  *pidfd = carrel_pidfd_open(child);
  if (*pidfd < 0) {
    error = errno;
    kill(child, SIGKILL);
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {}
    errno = error;
    return -1;
  }
  return child;
}

int carrel_pidfd_signal(int pidfd, int signal) {
  return (int)syscall(SYS_pidfd_send_signal, pidfd, signal, NULL, 0);
}

int carrel_pidfd_open(pid_t pid) { return (int)syscall(SYS_pidfd_open, pid, 0); }

int carrel_become_subreaper(void) { return prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); }

pid_t carrel_reap(pid_t pid, int *exited, int *signaled) {
  int status = 0;
  pid_t result;
  do {
    result = waitpid(pid, &status, WNOHANG);
  } while (result < 0 && errno == EINTR);
  *exited = result > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  *signaled = result > 0 && WIFSIGNALED(status) ? WTERMSIG(status) : -1;
  return result;
}

int carrel_signal_descriptor(const int *signals, size_t count) {
  sigset_t set;
  sigemptyset(&set);
  for (size_t index = 0; index < count; index++) sigaddset(&set, signals[index]);
  errno = pthread_sigmask(SIG_BLOCK, &set, NULL);
  if (errno != 0) return -1;
  return signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

int carrel_next_signal(int descriptor) {
  struct signalfd_siginfo info;
  if (read(descriptor, &info, sizeof info) != sizeof info) return 0;
  return (int)info.ssi_signo;
}

int carrel_event_descriptor(void) { return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC); }

int carrel_pipe(int descriptors[2]) {
  if (pipe2(descriptors, O_CLOEXEC) < 0) return -1;
  return fcntl(descriptors[0], F_SETFL, O_NONBLOCK);
}

static int copy_content(int from, int to) {
  if (ioctl(to, FICLONE, from) == 0) return 0;
  for (;;) {
    ssize_t copied = copy_file_range(from, NULL, to, NULL, 1 << 30, 0);
    if (copied == 0) return 0;
    if (copied < 0) break;
  }
  if (errno != EXDEV && errno != EINVAL && errno != ENOSYS && errno != EOPNOTSUPP) return -1;
  char buffer[65536];
  for (;;) {
    ssize_t count = read(from, buffer, sizeof buffer);
    if (count == 0) return 0;
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return -1;
    for (ssize_t done = 0; done < count;) {
      ssize_t written = write(to, buffer + done, (size_t)(count - done));
      if (written < 0 && errno != EINTR) return -1;
      if (written > 0) done += written;
    }
  }
}

int carrel_copy_file(const char *from, const char *to, mode_t mode) {
  int source = open(from, O_RDONLY | O_CLOEXEC);
  if (source < 0) return -1;
  int target = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  int result = target < 0 ? -1 : copy_content(source, target);
  int error = errno;
  close(source);
  if (target >= 0) close(target);
  errno = error;
  return result;
}

int carrel_socket_pair(int descriptors[2]) {
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, descriptors) < 0) return -1;
  return fcntl(descriptors[0], F_SETFL, O_NONBLOCK);
}

int carrel_send_descriptors(int socket, const int *descriptors, size_t count) {
  enum { highest_count = 8 };
  if (count > highest_count) {
    errno = EINVAL;
    return -1;
  }
  union {
    char bytes[CMSG_SPACE(sizeof(int) * highest_count)];
    struct cmsghdr alignment;
  } ancillary = {0};
  char byte = 0;
  struct iovec content = {.iov_base = &byte, .iov_len = 1};
  struct msghdr header = {
      .msg_iov = &content,
      .msg_iovlen = 1,
      .msg_control = ancillary.bytes,
      .msg_controllen = CMSG_SPACE(sizeof(int) * count),
  };
  struct cmsghdr *part = CMSG_FIRSTHDR(&header);
  part->cmsg_level = SOL_SOCKET;
  part->cmsg_type = SCM_RIGHTS;
  part->cmsg_len = CMSG_LEN(sizeof(int) * count);
  memcpy(CMSG_DATA(part), descriptors, sizeof(int) * count);
  ssize_t sent;
  do {
    sent = sendmsg(socket, &header, MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  return sent == 1 ? 0 : -1;
}

int carrel_memory_file(const void *bytes, size_t count) {
  int file = memfd_create("carrel", MFD_CLOEXEC);
  if (file < 0) return -1;
  for (size_t done = 0; done < count;) {
    ssize_t written = write(file, (const char *)bytes + done, count - done);
    if (written < 0 && errno != EINTR) {
      int error = errno;
      close(file);
      errno = error;
      return -1;
    }
    if (written > 0) done += (size_t)written;
  }
  return file;
}
