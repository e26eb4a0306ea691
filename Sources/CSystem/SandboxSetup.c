// In the first process of a sandbox, which is a copy of its caller and may call what is safe after
// fork(2) in a process with threads (signal-safety(7)), and no more.
//
// What the other processes see and may do.
#include "SandboxParts.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/mount.h>
#include <net/if.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// <sys/mount.h> and <linux/mount.h> cannot both be included with this C library.
extern int mount(const char *, const char *, const char *, unsigned long, const void *);
enum { mount_no_suid = 2, mount_no_devices = 4, mount_no_programs = 8, mount_private = 1 << 18 };

bool carrel_sandbox_write_text(const char *path, const char *text) {
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
  char name[40] = "/proc/self/fd/";
  *carrel_append_number(name + strlen(name), (uint64_t)folder) = 0;
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
    bool is_there = access(devices[index], F_OK) == 0;
    trees[index] = is_there ? clone_tree(devices[index]) : -1;
    if (is_there && trees[index] < 0) return false;
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

void carrel_sandbox_make(const struct layout *layout, int control) {
  int sources[highest_bind_count];
  struct stat kinds[highest_bind_count];
  for (size_t index = 0; index < layout->bind_count; index++) {
    const char *source = layout->binds[index].source;
    if (layout->binds[index].upper != NULL) {
      // As long as the layers can be written to.
      sources[index] = overlay(&layout->binds[index]);
      if (sources[index] < 0) carrel_sandbox_fail(control, carrel_sandbox_overlays);
      kinds[index].st_mode = S_IFDIR;
      continue;
    }
    sources[index] = clone_tree(source);
    if (sources[index] < 0 || fstat(sources[index], &kinds[index]) < 0)
      carrel_sandbox_fail(control, carrel_sandbox_sources);
    if (!layout->binds[index].is_writable
        && set_attributes(sources[index], "", AT_EMPTY_PATH, MOUNT_ATTR_RDONLY) < 0)
      carrel_sandbox_fail(control, carrel_sandbox_read_only);
  }
  if (set_attributes(AT_FDCWD, "/", 0, MOUNT_ATTR_RDONLY) < 0)
    carrel_sandbox_fail(control, carrel_sandbox_read_only);
  char options[64] = "mode=1777";
  if (layout->private_size > 0) {
    char *end = stpcpy(options + strlen(options), ",size=");
    *carrel_append_number(end, layout->private_size) = 0;
  }
  for (size_t index = 0; index < layout->cover_count; index++) {
    if (!make_private(layout->covers[index], "mode=755"))
      carrel_sandbox_fail(control, carrel_sandbox_private_folders);
  }
  if (!make_private("/tmp", options) || !make_private("/var/tmp", options)
      || !make_devices(options))
    carrel_sandbox_fail(control, carrel_sandbox_private_folders);
  for (size_t index = 0; index < layout->bind_count; index++) {
    const char *target = layout->binds[index].target;
    if (!make_way(target, !S_ISDIR(kinds[index].st_mode))
        || syscall(
               SYS_move_mount, sources[index], "", AT_FDCWD, target, MOVE_MOUNT_F_EMPTY_PATH)
            < 0)
      carrel_sandbox_fail(control, carrel_sandbox_targets);
    close(sources[index]);
  }
  if (layout->is_for_copying) {
    if (!keep_privileges()) carrel_sandbox_fail(control, carrel_sandbox_privileges);
    return;
  }
  unsigned long flags = mount_no_suid | mount_no_devices | mount_no_programs;
  if (mount("proc", "/proc", "proc", flags, NULL) < 0 || !make_settings_read_only())
    carrel_sandbox_fail(control, carrel_sandbox_proc);
  if (layout->network == carrel_network_loopback && !bring_loopback_up())
    carrel_sandbox_fail(control, carrel_sandbox_network_up);
  if (sethostname("carrel", 6) < 0 || !carrel_forbid_calls() || !drop_privileges(layout->network))
    carrel_sandbox_fail(control, carrel_sandbox_privileges);
}
