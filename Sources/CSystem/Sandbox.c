#include "include/Sandbox.h"

#include "include/CSystem.h"
#include "start.h"

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
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

// <sys/mount.h> and <linux/mount.h> cannot both be included with this C library.
extern int mount(const char *, const char *, const char *, unsigned long, const void *);
enum { mount_no_suid = 2, mount_no_devices = 4, mount_no_programs = 8, mount_private = 1 << 18 };

struct bind {
  const char *source;
  const char *target;
  bool is_writable;
  /// Of an overlay; NULL for a source that is seen itself.
  const char *upper;
  const char *work;
};

enum {
  highest_bind_count = 64,
  highest_descriptor_count = 16,
  /// The socket's number in the first process and in the maker.
  control_number = 3,
  /// In the maker, the number of a pidfd of its caller.
  parent_number = 4,
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
static int overlay(const struct bind *bind) {
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

/// What is to be made, as the maker has read it.
struct plan {
  struct bind binds[highest_bind_count];
  size_t bind_count;
  const char *covers[highest_bind_count];
  size_t cover_count;
  enum carrel_network network;
  bool is_for_copying;
  uint64_t private_size;
  /// The texts that the others lie in.
  char *texts;
  size_t size;
};

/// What root could leave the sandbox with, or change the machine.
static const int dropped_capabilities[] = {
    CAP_SYS_ADMIN, CAP_SYS_MODULE, CAP_SYS_RAWIO,      CAP_SYS_BOOT,       CAP_SYS_TIME,
    CAP_MKNOD,     CAP_SYSLOG,     CAP_SYS_RESOURCE,   CAP_WAKE_ALARM,     CAP_BLOCK_SUSPEND,
    CAP_MAC_ADMIN, CAP_AUDIT_CONTROL, CAP_MAC_OVERRIDE, CAP_DAC_READ_SEARCH, CAP_SYS_PTRACE,
    CAP_BPF,       CAP_PERFMON,    CAP_CHECKPOINT_RESTORE,
};

uint64_t carrel_sandbox_capability_set(enum carrel_network network) {
  uint64_t set = ~(uint64_t)0;
  size_t count = sizeof dropped_capabilities / sizeof dropped_capabilities[0];
  for (size_t index = 0; index < count; index++)
    set &= ~((uint64_t)1 << dropped_capabilities[index]);
  // Whoever has the machine's network could change it.
  if (network == carrel_network_host)
    set &= ~((uint64_t)1 << CAP_NET_ADMIN | (uint64_t)1 << CAP_NET_RAW);
  return set;
}

static bool drop_privileges(enum carrel_network network) {
  uint64_t set = carrel_sandbox_capability_set(network);
  for (int capability = 0; capability < 64; capability++) {
    if ((set >> capability & 1) != 0) continue;
    // A kernel that does not know one has nothing to drop.
    if (prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) < 0 && errno != EINVAL) return false;
  }
  return true;
}

/// Lets processes that are started by an ordinary user keep what joining other sandboxes needs;
/// those of root keep all they have (capabilities(7), execve).
static bool keep_privileges(void) {
  if (geteuid() == 0) return true;
  // setns(2) of a process wants what ptrace(2) wants.
  static const int kept[] = {CAP_SYS_ADMIN, CAP_SYS_CHROOT, CAP_SYS_PTRACE, CAP_SETPCAP};
  struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
  struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];
  if (syscall(SYS_capget, &header, sets) < 0) return false;
  for (size_t index = 0; index < sizeof kept / sizeof kept[0]; index++)
    sets[kept[index] / 32].inheritable |= 1U << (kept[index] % 32);
  if (syscall(SYS_capset, &header, sets) < 0) return false;
  for (size_t index = 0; index < sizeof kept / sizeof kept[0]; index++) {
    if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, kept[index], 0, 0) < 0) return false;
  }
  return true;
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

static void make_sandbox(const struct plan *request, int control) {
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
  if (request->is_for_copying) {
    if (!keep_privileges()) fail(control, carrel_sandbox_privileges);
    return;
  }
  unsigned long flags = mount_no_suid | mount_no_devices | mount_no_programs;
  if (mount("proc", "/proc", "proc", flags, NULL) < 0 || !make_settings_read_only())
    fail(control, carrel_sandbox_proc);
  if (request->network == carrel_network_loopback && !bring_loopback_up())
    fail(control, carrel_sandbox_network_up);
  if (sethostname("carrel", 6) < 0 || !drop_privileges(request->network))
    fail(control, carrel_sandbox_privileges);
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
  int moved[highest_descriptor_count];
  for (size_t index = 0; index < count; index++) {
    moved[index] = fcntl(descriptors[index], F_DUPFD_CLOEXEC, highest_descriptor_count);
    if (moved[index] < 0) return;
  }
  for (size_t index = 0; index < count; index++) {
    if (dup2(moved[index], (int)index) < 0) return;
  }
  syscall(SYS_close_range, (unsigned)count, ~0U, CLOSE_RANGE_CLOEXEC);
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
        say(control, carrel_sandbox_ended, child, status, -1);
      }
    }
    if (ready[0].revents != 0 && !take_request(control)) _exit(0);
  }
}

/// Makes this process one that lives as long as another, and has a socket to it and nothing else.
static void detach(int control, int parent, const char *name) {
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

/// The life of the first process.
static void live(const struct plan *plan, int control) {
  detach(control, parent_number, "carrel-sandbox");
  close(parent_number);
  make_sandbox(plan, control_number);
  say(control_number, carrel_sandbox_ready, 0, 0, -1);
  serve(control_number);
}

// ---- In the maker, which is a copy of its caller, too.

struct making {
  enum carrel_network network;
  bool is_for_copying;
  uint64_t private_size;
};

struct made {
  int32_t process;
  int32_t error;
};

/// Appends a number and a space. Returns the new end.
static char *append_number(char *end, uint32_t number) {
  // By hand: snprintf(3) may not be called here.
  char digits[12];
  size_t count = 0;
  do {
    digits[count++] = (char)('0' + number % 10);
    number /= 10;
  } while (number > 0);
  while (count > 0) *end++ = digits[--count];
  *end++ = ' ';
  return end;
}

/// Goes into a namespace for users in which nothing but the own IDs exist.
static bool enter_users(void) {
  uint32_t numbers[2] = {geteuid(), getegid()};
  if (syscall(SYS_unshare, CLONE_NEWUSER) < 0) return false;
  static const char *const files[2] = {"/proc/self/uid_map", "/proc/self/gid_map"};
  if (!write_text("/proc/self/setgroups", "deny") && errno != ENOENT) return false;
  for (int index = 0; index < 2; index++) {
    char map[64];
    char *end = append_number(append_number(map, numbers[index]), numbers[index]);
    *end++ = '1';
    *end = 0;
    if (!write_text(files[index], map)) return false;
  }
  return true;
}

/// Takes the texts of a request apart; they stay where they are.
static bool read_plan(struct plan *plan, int content) {
  struct stat status;
  if (fstat(content, &status) < 0) return false;
  plan->bind_count = plan->cover_count = plan->size = 0;
  if (status.st_size == 0) return true;
  plan->texts = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, content, 0);
  if (plan->texts == MAP_FAILED) return false;
  plan->size = (size_t)status.st_size;
  const char *text = plan->texts;
  const char *end = text + plan->size;
  errno = EINVAL;
  if (end[-1] != 0) return false;
  while (text < end) {
    const char *source = text + 1;
    const char *target = text + strlen(text) + 1;
    if (target >= end) return false;
    if (*text == 'c') {
      if (plan->cover_count == highest_bind_count) return false;
      plan->covers[plan->cover_count++] = source;
    } else {
      if (plan->bind_count == highest_bind_count) return false;
      struct bind *bind = &plan->binds[plan->bind_count++];
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
  static struct plan plan;
  struct making making;
  int descriptors[2];
  ssize_t size = carrel_receive_message(control_number, &making, sizeof making, descriptors, 2);
  if (size != sizeof making || descriptors[0] < 0 || descriptors[1] < 0) return false;
  plan.network = making.network;
  plan.is_for_copying = making.is_for_copying;
  plan.private_size = making.private_size;
  uint64_t flags = making.is_for_copying
                       ? CLONE_NEWNS
                       : (uint64_t)carrel_sandbox_namespace_set(making.network);
  int pidfd = -1;
  pid_t process = -1;
  if (read_plan(&plan, descriptors[0])) {
    process = *has_users || geteuid() == 0 ? clone_sibling(flags, &pidfd) : -1;
    if (process < 0 && !*has_users && (geteuid() != 0 || errno == EPERM)) {
      // Also root without the right to make namespaces may get it in one for users.
      *has_users = enter_users();
      if (*has_users) process = clone_sibling(flags, &pidfd);
    }
  }
  if (process == 0) live(&plan, descriptors[1]);
  struct made made = {process, process < 0 ? errno : 0};
  close(descriptors[0]);
  close(descriptors[1]);
  if (plan.size > 0) munmap(plan.texts, plan.size);
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
    detach(sockets[1], own, "carrel-maker");
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
  bool is_asked = carrel_send_message(maker, &making, sizeof making, descriptors, 2) == 0;
  ssize_t size = is_asked ? carrel_receive_message(maker, &made, sizeof made, pidfd, 1) : -1;
  int error = size == sizeof made && made.process < 0 ? made.error
              : size == sizeof made && *pidfd >= 0    ? 0
              : size < 0 && errno != ECONNRESET       ? errno
                                                      : EPIPE;
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
  ssize_t size = carrel_receive_message(control, message, sizeof *message, descriptor, 1);
  // A process that ended with a request unread: what it had said comes after the error.
  if (size < 0 && errno == ECONNRESET)
    size = carrel_receive_message(control, message, sizeof *message, descriptor, 1);
  if (size < 0) return errno == EAGAIN ? 0 : -1;
  return size == sizeof *message ? 1 : -1;
}
