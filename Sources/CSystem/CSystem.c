#include "include/CSystem.h"

#include "start.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>


/// Runs in the child between vfork and exec; only returns on failure, with errno set.
static void become(const struct carrel_spawn_request *request, const struct carrel_start *start,
                   pid_t parent) {
  struct sigaction standard = {.sa_handler = SIG_DFL};
  for (int number = 1; number < NSIG; number++) {
    if (number != SIGKILL && number != SIGSTOP) sigaction(number, &standard, NULL);
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  if (setsid() < 0) return;
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0) return;
  if (getppid() != parent) {
    errno = ESRCH;
    return;
  }
  if (!carrel_join_groups(request->groups, request->group_count)) return;
  if (!carrel_place_descriptors(request->descriptors, request->descriptor_count)) return;
  if (*start->directory != 0 && chdir(start->directory) < 0) return;
  if (!carrel_take_limits(start)) return;
  execve(start->arguments[0], start->arguments, start->variables);
}

pid_t carrel_spawn(const struct carrel_spawn_request *request, int *pidfd) {
  if (request->descriptor_count > carrel_most_descriptors) {
    errno = EINVAL;
    return -1;
  }
  struct carrel_start start;
  // Nothing is written there.
  if (!carrel_read_start((char *)request->content, request->content_size, &start)) return -1;
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  volatile int failure = 0;
  pid_t parent = getpid();
  pid_t child = vfork();
  if (child == 0) {
    become(request, &start, parent);
    failure = errno != 0 ? errno : EINVAL;
    _exit(127);
  }
  int error = child < 0 ? errno : failure;
  carrel_forget_start(&start);
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

// The pipe is never closed: a handler may still run on another thread while signals are released.
static int signal_pipe[2] = {-1, -1};
static atomic_int signals_seen;
static atomic_int signals_tolerated = 1;
static bool signals_are_caught;
static sigset_t caught_signals;
static struct sigaction actions_before[NSIG];

static void note_signal(int number) {
  int error = errno;
  if (atomic_fetch_add(&signals_seen, 1) < atomic_load(&signals_tolerated)) {
    unsigned char byte = (unsigned char)number;
    // A full pipe tells enough.
    if (write(signal_pipe[1], &byte, 1) < 0) {}
  } else {
    // Blocked as long as this handler runs, then without a handler.
    struct sigaction standard = {.sa_handler = SIG_DFL};
    sigaction(number, &standard, NULL);
    raise(number);
  }
  errno = error;
}

static atomic_bool stops_are_noted;

void carrel_note_stops(bool noted) { atomic_store(&stops_are_noted, noted); }

void carrel_stop(void) {
  struct sigaction standard = {.sa_handler = SIG_DFL};
  struct sigaction before;
  sigset_t stop;
  sigset_t mask;
  sigemptyset(&stop);
  sigaddset(&stop, SIGTSTP);
  if (sigaction(SIGTSTP, &standard, &before) < 0) return;
  pthread_sigmask(SIG_UNBLOCK, &stop, &mask);
  // Comes back when the process is continued.
  raise(SIGTSTP);
  pthread_sigmask(SIG_SETMASK, &mask, NULL);
  sigaction(SIGTSTP, &before, NULL);
}

static void note_stop(int number) {
  int error = errno;
  if (atomic_load(&stops_are_noted)) {
    unsigned char byte = (unsigned char)number;
    if (write(signal_pipe[1], &byte, 1) < 0) {}
  } else {
    carrel_stop();
  }
  errno = error;
}

int carrel_catch_signals(const int *signals, size_t count) {
  if (signals_are_caught) {
    errno = EBUSY;
    return -1;
  }
  if (signal_pipe[0] < 0) {
    if (pipe2(signal_pipe, O_CLOEXEC | O_NONBLOCK) < 0) return -1;
  }
  while (carrel_next_signal(signal_pipe[0]) > 0) {}
  atomic_store(&signals_seen, 0);
  atomic_store(&signals_tolerated, 1);
  sigemptyset(&caught_signals);
  for (size_t index = 0; index < count; index++) {
    int number = signals[index];
    struct sigaction *before = &actions_before[number];
    if (sigaction(number, NULL, before) < 0) return -1;
    // Whoever started the program wants it to live on, for example nohup(1).
    if (before->sa_handler == SIG_IGN) continue;
    struct sigaction own = {.sa_handler = note_signal, .sa_flags = SA_RESTART};
    if (number == SIGTSTP) own.sa_handler = note_stop;
    if (sigaction(number, &own, NULL) < 0) return -1;
    sigaddset(&caught_signals, number);
  }
  signals_are_caught = true;
  pthread_sigmask(SIG_UNBLOCK, &caught_signals, NULL);
  return signal_pipe[0];
}

int carrel_signals_seen(void) { return atomic_load(&signals_seen); }

void carrel_tolerate_signals(int count) { atomic_store(&signals_tolerated, count); }

void carrel_release_signals(void) {
  if (!signals_are_caught) return;
  for (int number = 1; number < NSIG; number++) {
    if (sigismember(&caught_signals, number) == 1) sigaction(number, &actions_before[number], NULL);
  }
  signals_are_caught = false;
}

int carrel_next_signal(int descriptor) {
  unsigned char number = 0;
  return read(descriptor, &number, 1) == 1 ? number : 0;
}

int carrel_fill_standard_descriptors(void) {
  int closed = 0;
  for (int number = 0; number <= 2; number++) {
    if (fcntl(number, F_GETFD) >= 0 || errno != EBADF) continue;
    // The lowest free number is this one.
    if (open("/dev/null", number == 0 ? O_RDONLY : O_WRONLY) == number) closed |= 1 << number;
  }
  return closed;
}

int carrel_event_descriptor(void) { return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC); }

int carrel_pipe(int descriptors[2]) {
  if (pipe2(descriptors, O_CLOEXEC) < 0) return -1;
  return fcntl(descriptors[0], F_SETFL, O_NONBLOCK);
}

/// Copies bytes from an offset on, in the kernel where it can.
static int copy_range(int from, int to, off_t start, off_t end) {
  loff_t in = start, out = start;
  while (in < end) {
    ssize_t copied = copy_file_range(from, &in, to, &out, (size_t)(end - in), 0);
    if (copied == 0) return 0;
    if (copied < 0) break;
  }
  if (in >= end) return 0;
  if (errno != EXDEV && errno != EINVAL && errno != ENOSYS && errno != EOPNOTSUPP) return -1;
  char buffer[65536];
  while (in < end) {
    size_t wanted = end - in < (off_t)sizeof buffer ? (size_t)(end - in) : sizeof buffer;
    ssize_t count = pread(from, buffer, wanted, in);
    if (count == 0) return 0;
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return -1;
    for (ssize_t done = 0; done < count;) {
      ssize_t written = pwrite(to, buffer + done, (size_t)(count - done), in + done);
      if (written < 0 && errno != EINTR) return -1;
      if (written > 0) done += written;
    }
    in += count;
  }
  return 0;
}

/// Copies a file's content; holes stay holes.
static int copy_content(int from, int to) {
  if (ioctl(to, FICLONE, from) == 0) return 0;
  struct stat status;
  if (fstat(from, &status) < 0) return -1;
  if (ftruncate(to, status.st_size) < 0) return -1;
  off_t position = 0;
  while (position < status.st_size) {
    off_t data = lseek(from, position, SEEK_DATA);
    // Nothing but a hole is left.
    if (data < 0 && errno == ENXIO) return 0;
    off_t hole = data < 0 ? -1 : lseek(from, data, SEEK_HOLE);
    if (data < 0 || hole < 0) {
      data = position;
      hole = status.st_size;
    }
    if (copy_range(from, to, data, hole) < 0) return -1;
    position = hole;
  }
  return 0;
}

int carrel_copy_file(const char *from, const char *to, mode_t mode, bool only_shares) {
  int source = open(from, O_RDONLY | O_CLOEXEC);
  if (source < 0) return -1;
  int target = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  int result = -1;
  if (target >= 0)
    result = only_shares ? ioctl(target, FICLONE, source) : copy_content(source, target);
  int error = errno;
  close(source);
  if (target >= 0) close(target);
  errno = error;
  return result;
}

bool carrel_notes_mapped_writes(const char *path) {
  struct statfs system;
  if (statfs(path, &system) < 0) return false;
  // EXT4_SUPER_MAGIC is that of ext2 and ext3, too.
  return system.f_type == EXT4_SUPER_MAGIC || system.f_type == XFS_SUPER_MAGIC;
}

bool carrel_is_opaque(const char *path) {
  static const char *const names[] = {"user.overlay.opaque", "trusted.overlay.opaque"};
  for (size_t index = 0; index < sizeof names / sizeof names[0]; index++) {
    char value[2];
    if (lgetxattr(path, names[index], value, sizeof value) == 1 && value[0] == 'y') return true;
  }
  return false;
}

int carrel_strip_attributes(const char *path) {
  char names[65536];
  ssize_t size = llistxattr(path, names, sizeof names);
  if (size < 0) return errno == ENOTSUP ? 0 : -1;
  for (const char *name = names; name < names + size; name += strlen(name) + 1) {
    // Labels of the system's own policy are not the user's.
    if (strncmp(name, "security.", 9) == 0) continue;
    if (lremovexattr(path, name) < 0 && errno != ENODATA) return -1;
  }
  return 0;
}

const int carrel_path_only = O_PATH;

const int carrel_seek_data = SEEK_DATA;

int carrel_socket_pair(int descriptors[2]) {
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, descriptors) < 0) return -1;
  return fcntl(descriptors[0], F_SETFL, O_NONBLOCK);
}

int carrel_send_message(int socket, const void *bytes, size_t size, const int *descriptors,
                        size_t count) {
  enum { highest_count = 17 };
  if (count > highest_count) {
    errno = EINVAL;
    return -1;
  }
  union {
    char bytes[CMSG_SPACE(sizeof(int) * highest_count)];
    struct cmsghdr alignment;
  } ancillary = {0};
  struct iovec content = {.iov_base = (void *)bytes, .iov_len = size};
  struct msghdr header = {.msg_iov = &content, .msg_iovlen = 1};
  if (count > 0) {
    header.msg_control = ancillary.bytes;
    header.msg_controllen = CMSG_SPACE(sizeof(int) * count);
    struct cmsghdr *part = CMSG_FIRSTHDR(&header);
    part->cmsg_level = SOL_SOCKET;
    part->cmsg_type = SCM_RIGHTS;
    part->cmsg_len = CMSG_LEN(sizeof(int) * count);
    memcpy(CMSG_DATA(part), descriptors, sizeof(int) * count);
  }
  ssize_t sent;
  do {
    sent = sendmsg(socket, &header, MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  return sent == (ssize_t)size ? 0 : -1;
}

ssize_t carrel_receive_message(int socket, void *bytes, size_t size, int *descriptors,
                               size_t count) {
  enum { highest_count = 17 };
  for (size_t index = 0; index < count; index++) descriptors[index] = -1;
  union {
    char bytes[CMSG_SPACE(sizeof(int) * highest_count)];
    struct cmsghdr alignment;
  } ancillary;
  struct iovec content = {.iov_base = bytes, .iov_len = size};
  struct msghdr header = {
      .msg_iov = &content,
      .msg_iovlen = 1,
      .msg_control = ancillary.bytes,
      .msg_controllen = CMSG_SPACE(sizeof(int) * (count < highest_count ? count : highest_count)),
  };
  ssize_t received;
  do {
    received = recvmsg(socket, &header, MSG_CMSG_CLOEXEC);
  } while (received < 0 && errno == EINTR);
  struct cmsghdr *part = received < 0 ? NULL : CMSG_FIRSTHDR(&header);
  if (part != NULL && part->cmsg_type == SCM_RIGHTS)
    memcpy(descriptors, CMSG_DATA(part), part->cmsg_len - CMSG_LEN(0));
  return received;
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

int carrel_accept(int socket) {
  int descriptor;
  do {
    descriptor = accept4(socket, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
  } while (descriptor < 0 && errno == EINTR);
  return descriptor;
}
