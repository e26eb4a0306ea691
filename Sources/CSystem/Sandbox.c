#include "include/Sandbox.h"

#include "include/CSystem.h"
#include "include/limits.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/close_range.h>
#include <linux/mount.h>
#include <linux/sched.h>
#include <net/if.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// <sys/mount.h> and <linux/mount.h> cannot both be included with this C library.
extern int mount(const char *, const char *, const char *, unsigned long, const void *);
enum { mount_no_suid = 2, mount_no_devices = 4, mount_no_programs = 8, mount_private = 1 << 18 };

enum {
  highest_bind_count = 64,
  highest_descriptor_count = 16,
  highest_limit_count = 8192,
  /// The socket's number in the first process.
  control_number = 3,
  request_spawn = 1,
  request_signal = 2,
};

struct request {
  int32_t kind;
  int32_t process;
  int32_t signal;
  /// How many of the descriptors, after the first one, are those of control groups.
  int32_t groups;
};

// ---- In the first process, which is a copy of its caller and may call what is safe after fork(2)
// ---- in a process with threads (signal-safety(7)), and no more.

static void say(int control, int32_t kind, int32_t first, int32_t second, int descriptor) {
  struct carrel_sandbox_message message = {kind, first, second};
  size_t count = descriptor >= 0 ? 1 : 0;
  if (carrel_send_message(control, &message, sizeof message, &descriptor, count) < 0) _exit(1);
}

static void fail(int control, enum carrel_sandbox_step step) {
  say(control, carrel_sandbox_failed, step, errno, -1);
  _exit(1);
}

static bool write_text(const char *path, const char *text) {
  int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0) return false;
  ssize_t written = write(file, text, strlen(text));
  int error = errno;
  close(file);
  errno = error;
  return written == (ssize_t)strlen(text);
}

/// Makes the folders on the way to a path and, unless `is_file`, a folder with the path itself.
/// What exists is left alone.
static bool make_way(const char *path, bool is_file) {
  char part[4096];
  size_t length = strlen(path);
  if (length >= sizeof part) {
    errno = ENAMETOOLONG;
    return false;
  }
  for (size_t index = 1; index <= length; index++) {
    if (path[index] != '/' && path[index] != 0) continue;
    memcpy(part, path, index);
    part[index] = 0;
    if (access(part, F_OK) == 0) continue;
    if (index == length && is_file) {
      int file = open(part, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
      if (file < 0) return false;
      close(file);
    } else if (mkdir(part, 0755) < 0 && errno != EEXIST) {
      return false;
    }
  }
  return true;
}

static int clone_tree(const char *path) {
  return (int)syscall(
      SYS_open_tree, AT_FDCWD, path, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE);
}

static int set_attributes(int place, const char *path, unsigned flags, uint64_t attributes) {
  struct mount_attr attr = {.attr_set = attributes, .propagation = mount_private};
  return (int)syscall(
      SYS_mount_setattr, place, path, flags | AT_RECURSIVE, &attr, sizeof attr);
}

/// Names a folder as a layer of a file system to be. By its descriptor: fsconfig(2) takes texts of
/// at most 255 bytes, which a path may exceed.
///
/// Returns the descriptor, which has to stay open until the file system is made, or -1.
static int add_layer(int context, const char *key, const char *path) {
  int folder = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return -1;
  char name[32] = "/proc/self/fd/", digits[12];
  size_t end = strlen(name), count = 0;
  int rest = folder;
  do {
    digits[count++] = (char)('0' + rest % 10);
    rest /= 10;
  } while (rest > 0);
  while (count > 0) name[end++] = digits[--count];
  name[end] = 0;
  if (syscall(SYS_fsconfig, context, FSCONFIG_SET_STRING, key, name, 0) == 0) return folder;
  int error = errno;
  close(folder);
  errno = error;
  return -1;
}

/// A mount of a folder in which everything can be changed while the folder stays as it is. It has
/// no place yet.
///
/// Returns -1 with errno set when there is none.
static int overlay(const struct carrel_sandbox_bind *bind) {
  int context = (int)syscall(SYS_fsopen, "overlay", FSOPEN_CLOEXEC);
  if (context < 0) return -1;
  int layers[3] = {add_layer(context, "lowerdir", bind->source), -1, -1};
  if (layers[0] >= 0) layers[1] = add_layer(context, "upperdir", bind->upper);
  if (layers[1] >= 0) layers[2] = add_layer(context, "workdir", bind->work);
  int result = -1;
  // Everybody may set these attributes; and no folder is renamed by a note in one of them, so that
  // the layers can be put together without the kernel. What ends with the batch need not be forced
  // to the disk: without `volatile` the end of the mount waits for the whole file system.
  if (layers[2] >= 0
      && syscall(SYS_fsconfig, context, FSCONFIG_SET_FLAG, "userxattr", NULL, 0) == 0
      && syscall(SYS_fsconfig, context, FSCONFIG_SET_FLAG, "volatile", NULL, 0) == 0
      && syscall(SYS_fsconfig, context, FSCONFIG_CMD_CREATE, NULL, NULL, 0) == 0)
    result = (int)syscall(SYS_fsmount, context, FSMOUNT_CLOEXEC, 0);
  int error = errno;
  for (int index = 0; index < 3; index++) {
    if (layers[index] >= 0) close(layers[index]);
  }
  close(context);
  errno = error;
  return result;
}

/// A private folder in the place of one that is there.
static bool make_private(const char *path, const char *options) {
  if (access(path, F_OK) < 0) return true;
  return mount("tmpfs", path, "tmpfs", mount_no_suid | mount_no_devices, options) == 0;
}

static bool bring_loopback_up(void) {
  int descriptor = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return false;
  struct ifreq interface;
  memset(&interface, 0, sizeof interface);
  memcpy(interface.ifr_name, "lo", 3);
  bool is_up = ioctl(descriptor, SIOCGIFFLAGS, &interface) == 0;
  interface.ifr_flags |= IFF_UP;
  is_up = is_up && ioctl(descriptor, SIOCSIFFLAGS, &interface) == 0;
  int error = errno;
  close(descriptor);
  errno = error;
  return is_up;
}

/// What root could leave the sandbox with, or change the machine.
static const int dropped_capabilities[] = {
    CAP_SYS_ADMIN, CAP_SYS_MODULE, CAP_SYS_RAWIO,      CAP_SYS_BOOT,       CAP_SYS_TIME,
    CAP_MKNOD,     CAP_SYSLOG,     CAP_SYS_RESOURCE,   CAP_WAKE_ALARM,     CAP_BLOCK_SUSPEND,
    CAP_MAC_ADMIN, CAP_AUDIT_CONTROL, CAP_MAC_OVERRIDE, CAP_DAC_READ_SEARCH, CAP_SYS_PTRACE,
    CAP_BPF,       CAP_PERFMON,    CAP_CHECKPOINT_RESTORE,
};

static bool drop(int capability) {
  // A kernel that does not know one has nothing to drop.
  return prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) == 0 || errno == EINVAL;
}

static bool drop_privileges(enum carrel_network network) {
  size_t count = sizeof dropped_capabilities / sizeof dropped_capabilities[0];
  for (size_t index = 0; index < count; index++) {
    if (!drop(dropped_capabilities[index])) return false;
  }
  // Whoever has the machine's network could change it.
  return network != carrel_network_host || (drop(CAP_NET_ADMIN) && drop(CAP_NET_RAW));
}

/// Parts of /proc that belong to the machine and not to a process.
static const char *const machine_settings[] = {
    "/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus", "/proc/fs", "/proc/acpi",
};

static bool make_settings_read_only(void) {
  size_t count = sizeof machine_settings / sizeof machine_settings[0];
  for (size_t index = 0; index < count; index++) {
    const char *path = machine_settings[index];
    if (access(path, F_OK) < 0) continue;
    int tree = clone_tree(path);
    if (tree < 0 || set_attributes(tree, "", AT_EMPTY_PATH, MOUNT_ATTR_RDONLY) < 0
        || syscall(SYS_move_mount, tree, "", AT_FDCWD, path, MOVE_MOUNT_F_EMPTY_PATH) < 0)
      return false;
    close(tree);
  }
  return true;
}

/// Devices that every program may have.
static const char *const devices[] = {
    "/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty",
};
enum { device_count = sizeof devices / sizeof devices[0] };

/// A /dev with these devices, terminals of its own, and a private folder for shared memory.
static bool make_devices(const char *options) {
  int trees[device_count];
  for (size_t index = 0; index < device_count; index++) {
    trees[index] = access(devices[index], F_OK) == 0 ? clone_tree(devices[index]) : -1;
  }
  if (mount("tmpfs", "/dev", "tmpfs", mount_no_suid, "mode=755") < 0) return false;
  for (size_t index = 0; index < device_count; index++) {
    if (trees[index] < 0) continue;
    if (!make_way(devices[index], true)
        || syscall(SYS_move_mount, trees[index], "", AT_FDCWD, devices[index],
                   MOVE_MOUNT_F_EMPTY_PATH)
               < 0)
      return false;
    close(trees[index]);
  }
  static const char *const links[][2] = {
      {"/proc/self/fd", "/dev/fd"}, {"/proc/self/fd/0", "/dev/stdin"},
      {"/proc/self/fd/1", "/dev/stdout"}, {"/proc/self/fd/2", "/dev/stderr"},
      {"pts/ptmx", "/dev/ptmx"},
  };
  for (size_t index = 0; index < sizeof links / sizeof links[0]; index++) {
    if (symlink(links[index][0], links[index][1]) < 0) return false;
  }
  if (mkdir("/dev/shm", 0755) < 0 || mkdir("/dev/pts", 0755) < 0) return false;
  // A kernel or container without terminals can do without.
  mount("devpts", "/dev/pts", "devpts", mount_no_suid | mount_no_programs,
        "newinstance,ptmxmode=0666,mode=620");
  struct mount_attr attr = {.attr_set = MOUNT_ATTR_RDONLY};
  return syscall(SYS_mount_setattr, AT_FDCWD, "/dev", 0, &attr, sizeof attr) == 0
         && mount("tmpfs", "/dev/shm", "tmpfs", mount_no_suid | mount_no_devices, options) == 0;
}

static void make_sandbox(const struct carrel_sandbox_request *request, int control) {
  int sources[highest_bind_count];
  struct stat kinds[highest_bind_count];
  for (size_t index = 0; index < request->bind_count; index++) {
    const char *source = request->binds[index].source;
    if (request->binds[index].upper != NULL) {
      // As long as the layers can be written to.
      sources[index] = overlay(&request->binds[index]);
      if (sources[index] < 0) fail(control, carrel_sandbox_overlays);
      kinds[index].st_mode = S_IFDIR;
      continue;
    }
    sources[index] = clone_tree(source);
    if (sources[index] < 0 || fstat(sources[index], &kinds[index]) < 0)
      fail(control, carrel_sandbox_sources);
    if (!request->binds[index].is_writable
        && set_attributes(sources[index], "", AT_EMPTY_PATH, MOUNT_ATTR_RDONLY) < 0)
      fail(control, carrel_sandbox_read_only);
  }
  if (set_attributes(AT_FDCWD, "/", 0, MOUNT_ATTR_RDONLY) < 0)
    fail(control, carrel_sandbox_read_only);
  char options[64] = "mode=1777";
  if (request->private_size > 0) {
    // The digits, by hand: snprintf(3) may not be called here.
    char digits[24];
    size_t count = 0;
    for (uint64_t rest = request->private_size; rest > 0; rest /= 10)
      digits[count++] = (char)('0' + rest % 10);
    size_t end = strlen(options);
    memcpy(options + end, ",size=", 6);
    end += 6;
    while (count > 0) options[end++] = digits[--count];
    options[end] = 0;
  }
  for (size_t index = 0; index < request->cover_count; index++) {
    if (!make_private(request->covers[index], "mode=755"))
      fail(control, carrel_sandbox_private_folders);
  }
  if (!make_private("/tmp", options) || !make_private("/var/tmp", options)
      || !make_devices(options))
    fail(control, carrel_sandbox_private_folders);
  for (size_t index = 0; index < request->bind_count; index++) {
    const char *target = request->binds[index].target;
    if (!make_way(target, !S_ISDIR(kinds[index].st_mode))
        || syscall(
               SYS_move_mount, sources[index], "", AT_FDCWD, target, MOVE_MOUNT_F_EMPTY_PATH)
            < 0)
      fail(control, carrel_sandbox_targets);
    close(sources[index]);
  }
  unsigned long flags = mount_no_suid | mount_no_devices | mount_no_programs;
  if (mount("proc", "/proc", "proc", flags, NULL) < 0 || !make_settings_read_only())
    fail(control, carrel_sandbox_proc);
  if (request->network == carrel_network_loopback && !bring_loopback_up())
    fail(control, carrel_sandbox_network_up);
  if (sethostname("carrel", 6) < 0 || !drop_privileges(request->network))
    fail(control, carrel_sandbox_privileges);
}

/// The digits at the beginning of a text, as a number. Moves past them and a space.
static uint64_t number(const char **text) {
  uint64_t value = 0;
  for (; **text >= '0' && **text <= '9'; ++*text) value = value * 10 + (uint64_t)(**text - '0');
  if (**text == ' ') ++*text;
  return value;
}

/// Runs in the child between vfork and exec; only returns on failure, with errno set.
static void become(char *content, size_t size, const int *groups, size_t group_count,
                   const int *descriptors, size_t count) {
  enum { highest_text_count = 16384 };
  static char *texts[highest_text_count];
  char *end = content + size;
  char *path = content;
  char *directory = path + strlen(path) + 1;
  char *next = directory + strlen(directory) + 1;
  const char *digits = next;
  size_t argument_count = (size_t)number(&digits);
  next += strlen(next) + 1;
  digits = next;
  size_t limit_count = (size_t)number(&digits);
  next += strlen(next) + 1;
  static struct carrel_resource_limit resources[highest_limit_count];
  static int processors[highest_limit_count];
  struct carrel_limits limits = {.groups = groups, .group_count = group_count,
                                 .resources = resources, .processors = processors};
  for (size_t index = 0; index < limit_count && next < end; index++) {
    static const char word[] = "processor ";
    size_t length = sizeof word - 1;
    bool is_processor = strncmp(next, word, length) == 0;
    if ((is_processor ? limits.processor_count : limits.resource_count) == highest_limit_count) {
      errno = E2BIG;
      return;
    }
    digits = is_processor ? next + length : next;
    if (is_processor) {
      processors[limits.processor_count++] = (int)number(&digits);
    } else {
      int resource = (int)number(&digits);
      resources[limits.resource_count++] =
          (struct carrel_resource_limit){resource, number(&digits)};
    }
    next += strlen(next) + 1;
  }
  if (!carrel_join_groups(&limits)) return;
  size_t total = 0;
  char **environment = NULL;
  for (; next < end; next += strlen(next) + 1) {
    if (total == argument_count && environment == NULL) {
      texts[total++] = NULL;
      environment = texts + total;
    }
    if (total + 2 >= highest_text_count) {
      errno = E2BIG;
      return;
    }
    texts[total++] = next;
  }
  texts[total] = NULL;
  if (environment == NULL) {
    texts[++total] = NULL;
    environment = texts + total;
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  if (setsid() < 0) return;
  int moved[highest_descriptor_count];
  for (size_t index = 0; index < count; index++) {
    moved[index] = fcntl(descriptors[index], F_DUPFD_CLOEXEC, highest_descriptor_count);
    if (moved[index] < 0) return;
  }
  for (size_t index = 0; index < count; index++) {
    if (dup2(moved[index], (int)index) < 0) return;
  }
  syscall(SYS_close_range, (unsigned)count, ~0U, CLOSE_RANGE_CLOEXEC);
  if (chdir(*directory != 0 ? directory : "/") < 0) return;
  if (!carrel_set_limits(&limits)) return;
  execve(path, texts, environment);
}

/// Starts a process; what is asked for is in the first descriptor, control groups in the next ones.
static void spawn(int control, int *descriptors, size_t count, size_t groups) {
  struct stat status;
  char *content = MAP_FAILED;
  if (fstat(descriptors[0], &status) == 0) {
    content = mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE,
                   descriptors[0], 0);
  }
  volatile int failure = content == MAP_FAILED ? errno : 0;
  pid_t child = -1;
  if (failure == 0) {
    child = vfork();
    if (child == 0) {
      become(content, (size_t)status.st_size - 1, descriptors + 1, groups, descriptors + 1 + groups,
             count - 1 - groups);
      failure = errno != 0 ? errno : EINVAL;
      _exit(127);
    }
    if (child < 0) failure = errno;
    munmap(content, (size_t)status.st_size);
  }
  for (size_t index = 0; index < count; index++) close(descriptors[index]);
  int pidfd = failure == 0 ? (int)syscall(SYS_pidfd_open, child, 0) : -1;
  if (failure == 0 && pidfd < 0) failure = errno;
  if (failure != 0) {
    if (child > 0) {
      kill(child, SIGKILL);
      while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {}
    }
    say(control, carrel_sandbox_not_started, failure, 0, -1);
    return;
  }
  say(control, carrel_sandbox_started, child, 0, pidfd);
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
  struct request request;
  struct iovec content = {.iov_base = &request, .iov_len = sizeof request};
  union {
    char bytes[CMSG_SPACE(sizeof(int) * (highest_descriptor_count + 1))];
    struct cmsghdr alignment;
  } ancillary;
  struct msghdr header = {
      .msg_iov = &content,
      .msg_iovlen = 1,
      .msg_control = ancillary.bytes,
      .msg_controllen = sizeof ancillary.bytes,
  };
  ssize_t size = recvmsg(control, &header, MSG_CMSG_CLOEXEC);
  if (size < 0) return errno == EINTR || errno == EAGAIN;
  if (size != sizeof request) return false;
  int descriptors[highest_descriptor_count + 1];
  size_t count = 0;
  struct cmsghdr *part = CMSG_FIRSTHDR(&header);
  if (part != NULL && part->cmsg_type == SCM_RIGHTS) {
    count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    memcpy(descriptors, CMSG_DATA(part), sizeof(int) * count);
  }
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
        say(control, carrel_sandbox_ended, child, status, -1);
      }
    }
    if (ready[0].revents != 0 && !take_request(control)) _exit(0);
  }
}

/// The life of the first process.
static void live(const struct carrel_sandbox_request *request, int control, int parent,
                 bool has_users, uid_t user, gid_t group) {
  struct sigaction standard = {.sa_handler = SIG_DFL};
  for (int number = 1; number < NSIG; number++) {
    if (number != SIGKILL && number != SIGSTOP) sigaction(number, &standard, NULL);
  }
  struct pollfd life = {.fd = parent, .events = POLLIN};
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || poll(&life, 1, 0) != 0) _exit(1);
  prctl(PR_SET_NAME, "carrel-sandbox");
  setsid();
  if (dup2(control, control_number) < 0) _exit(1);
  control = control_number;
  fcntl(control, F_SETFD, FD_CLOEXEC);
  int null = open("/dev/null", O_RDWR);
  for (int number = 0; number < control_number; number++) {
    if (null < 0 || dup2(null, number) < 0) fail(control, carrel_sandbox_namespaces);
  }
  syscall(SYS_close_range, control_number + 1, ~0U, 0);
  if (has_users) {
    char map[64];
    uint32_t numbers[2] = {user, group};
    const char *files[2] = {"/proc/self/uid_map", "/proc/self/gid_map"};
    if (!write_text("/proc/self/setgroups", "deny") && errno != ENOENT)
      fail(control, carrel_sandbox_users);
    for (int index = 0; index < 2; index++) {
      char digits[12];
      size_t count = 0, end = 0;
      uint32_t rest = numbers[index];
      do {
        digits[count++] = (char)('0' + rest % 10);
        rest /= 10;
      } while (rest > 0);
      for (int time = 0; time < 2; time++) {
        for (size_t digit = count; digit > 0; digit--) map[end++] = digits[digit - 1];
        map[end++] = ' ';
      }
      map[end++] = '1';
      map[end] = 0;
      if (!write_text(files[index], map)) fail(control, carrel_sandbox_users);
    }
  }
  make_sandbox(request, control);
  say(control, carrel_sandbox_ready, 0, 0, -1);
  serve(control);
}

// ---- In the caller.

static pid_t clone_with(uint64_t flags) {
  struct clone_args arguments = {.flags = flags, .exit_signal = SIGCHLD};
  return (pid_t)syscall(SYS_clone3, &arguments, sizeof arguments);
}

pid_t carrel_sandbox_start(const struct carrel_sandbox_request *request, int *pidfd, int *control) {
  if (request->bind_count > highest_bind_count) {
    errno = EINVAL;
    return -1;
  }
  int sockets[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) < 0) return -1;
  int own = (int)syscall(SYS_pidfd_open, getpid(), 0);
  uid_t user = geteuid();
  gid_t group = getegid();
  uint64_t flags = CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS;
  if (request->network != carrel_network_host) flags |= CLONE_NEWNET;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  bool has_users = user != 0;
  pid_t child = own < 0 ? -1 : clone_with(has_users ? flags | CLONE_NEWUSER : flags);
  if (child < 0 && own >= 0 && errno == EPERM && !has_users) {
    // Root without the right to make namespaces may get it in one for users.
    has_users = true;
    child = clone_with(flags | CLONE_NEWUSER);
  }
  if (child == 0) {
    live(request, sockets[1], own, has_users, user, group);
    _exit(1);
  }
  int error = errno;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  close(sockets[1]);
  if (own >= 0) close(own);
  *pidfd = child > 0 ? (int)syscall(SYS_pidfd_open, child, 0) : -1;
  if (*pidfd < 0) {
    if (child > 0) {
      error = errno;
      kill(child, SIGKILL);
      while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {}
    }
    close(sockets[0]);
    errno = error;
    return -1;
  }
  fcntl(sockets[0], F_SETFL, O_NONBLOCK);
  *control = sockets[0];
  return child;
}

static int ask(int control, struct request request, const int *descriptors, size_t count) {
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
  struct request request = {.kind = request_spawn, .groups = (int32_t)group_count};
  return ask(control, request, all, count + group_count + 1);
}

int carrel_sandbox_signal(int control, pid_t process, int signal) {
  struct request request = {.kind = request_signal, .process = process, .signal = signal};
  return ask(control, request, NULL, 0);
}

int carrel_sandbox_receive(int control, struct carrel_sandbox_message *message, int *descriptor) {
  *descriptor = -1;
  struct iovec content = {.iov_base = message, .iov_len = sizeof *message};
  union {
    char bytes[CMSG_SPACE(sizeof(int))];
    struct cmsghdr alignment;
  } ancillary;
  struct msghdr header = {
      .msg_iov = &content,
      .msg_iovlen = 1,
      .msg_control = ancillary.bytes,
      .msg_controllen = sizeof ancillary.bytes,
  };
  ssize_t size;
  do {
    size = recvmsg(control, &header, MSG_CMSG_CLOEXEC);
    // That the other end has not read everything is told once, before what it has said.
  } while (size < 0 && (errno == EINTR || errno == ECONNRESET));
  if (size < 0) return errno == EAGAIN ? 0 : -1;
  if (size != sizeof *message) return -1;
  struct cmsghdr *part = CMSG_FIRSTHDR(&header);
  if (part != NULL && part->cmsg_type == SCM_RIGHTS) {
    memcpy(descriptor, CMSG_DATA(part), sizeof *descriptor);
  }
  return 1;
}
