// What a process is to be before it becomes the program that runs tests: its working directory,
// limits, arguments and variables. ProcessRequest.encoded in the module Workers writes it.
//
// Carrel uses this for the processes that it starts, by itself or through the first process of a
// sandbox, and the observer for the copies of a warm process: this file is compiled into both.
// Everything in it may be called after fork(2) in a process with threads (signal-safety(7)).
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/close_range.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/// As many processors as any kernel is made for (CONFIG_NR_CPUS).
enum { carrel_most_processors = 8192, carrel_most_descriptors = 16 };

struct carrel_processor_set {
  _Alignas(cpu_set_t) unsigned char bytes[CPU_ALLOC_SIZE(carrel_most_processors)];
};

/// The lists end with a null pointer each; their texts lie in the content that was read.
struct carrel_start {
  /// Empty for the one that the process has.
  const char *directory;
  /// The number of a resource and its value, the word `processor` and the number of one, the
  /// word `umask` and a mask, or the word `terminal`: the descriptor 0 becomes the controlling
  /// terminal of the session.
  char **limits;
  /// The first is the path of the executable.
  char **arguments;
  /// `NAME=VALUE`.
  char **variables;
  void *table;
  size_t table_size;
};

/// The digits at the beginning of a text, as a number. Moves past them and a space.
static inline uint64_t carrel_take_number(const char **text) {
  uint64_t value = 0;
  for (; **text >= '0' && **text <= '9'; ++*text) value = value * 10 + (uint64_t)(**text - '0');
  if (**text == ' ') ++*text;
  return value;
}

/// Makes a list of some of the texts that follow each other, and moves past these and the list.
static inline char **carrel_take_list(char **text, char ***table, size_t count) {
  char **list = *table;
  for (size_t index = 0; index < count; index++) {
    *(*table)++ = *text;
    *text += strlen(*text) + 1;
  }
  *(*table)++ = NULL;
  return list;
}

/// Reads texts that end with a zero byte each: the working directory, the number of limits, the
/// number of arguments, the limits, the arguments and the variables.
///
/// Returns whether these were there; errno is set otherwise. The lists are given back with
/// `carrel_forget_start`.
static inline bool carrel_read_start(char *content, size_t size, struct carrel_start *start) {
  errno = EINVAL;
  size_t count = 0;
  for (size_t index = 0; index < size; index++) count += content[index] == 0;
  if (count < 3 || content[size - 1] != 0) return false;
  char *text = content;
  start->directory = text;
  text += strlen(text) + 1;
  uint64_t numbers[2];
  for (int index = 0; index < 2; index++) {
    const char *digits = text;
    numbers[index] = carrel_take_number(&digits);
    text += strlen(text) + 1;
  }
  count -= 3;
  if (numbers[0] > count || numbers[1] == 0 || numbers[1] > count - numbers[0]) return false;
  start->table_size = (count + 3) * sizeof(char *);
  start->table = mmap(NULL, start->table_size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start->table == MAP_FAILED) return false;
  char **table = start->table;
  start->limits = carrel_take_list(&text, &table, (size_t)numbers[0]);
  start->arguments = carrel_take_list(&text, &table, (size_t)numbers[1]);
  start->variables =
      carrel_take_list(&text, &table, count - (size_t)numbers[0] - (size_t)numbers[1]);
  return true;
}

static inline void carrel_forget_start(const struct carrel_start *start) {
  munmap(start->table, start->table_size);
}

/// Gives a process these descriptors as 0, 1, 2 and so on, at most `carrel_most_descriptors`; all
/// others are closed when it becomes a program. Returns whether that worked; errno is set
/// otherwise.
static inline bool carrel_place_descriptors(const int *descriptors, size_t count) {
  // First out of the way of the numbers that they shall get.
  int moved[carrel_most_descriptors];
  for (size_t index = 0; index < count; index++) {
    moved[index] = fcntl(descriptors[index], F_DUPFD_CLOEXEC, carrel_most_descriptors);
    if (moved[index] < 0) return false;
  }
  for (size_t index = 0; index < count; index++) {
    if (dup2(moved[index], (int)index) < 0) return false;
  }
  return syscall(SYS_close_range, (unsigned)count, ~0U, CLOSE_RANGE_CLOEXEC) == 0;
}

#if defined(__x86_64__)
#define CARREL_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define CARREL_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

/// Forbids, for this process and all that it starts, what leads around a sandbox: namespaces for
/// users, in which anybody may mount the machine's control groups; keys, which no namespace keeps
/// apart; and sockets to the hypervisor, likewise (seccomp(2)). Needs CAP_SYS_ADMIN in its
/// namespace. clone3(2) is said not to exist, because its flags cannot be looked at; the C library
/// uses clone(2) then. So are the calls of other architectures. Returns whether that worked.
static inline bool carrel_forbid_calls(void) {
#ifdef CARREL_ARCHITECTURE
#define CARREL_LOAD(member) \
  BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offsetof(struct seccomp_data, member))
#define CARREL_ANSWER(error) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (error))
#define CARREL_ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define CARREL_IS(value, others) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), 0, (others))
#define CARREL_HAS(flag, others) BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (flag), 0, (others))
  struct sock_filter filter[] = {
      CARREL_LOAD(arch),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, CARREL_ARCHITECTURE, 1, 0),
      CARREL_ANSWER(ENOSYS),
      CARREL_LOAD(nr),
#ifdef __x86_64__
      // The calls of x32 have this bit.
      BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1),
      CARREL_ANSWER(ENOSYS),
#endif
      CARREL_IS(SYS_clone3, 1),
      CARREL_ANSWER(ENOSYS),
      CARREL_IS(SYS_keyctl, 1),
      CARREL_ANSWER(EPERM),
      CARREL_IS(SYS_add_key, 1),
      CARREL_ANSWER(EPERM),
      CARREL_IS(SYS_request_key, 1),
      CARREL_ANSWER(EPERM),
      CARREL_IS(SYS_socket, 4),
      CARREL_LOAD(args[0]),
      CARREL_IS(AF_VSOCK, 1),
      CARREL_ANSWER(EAFNOSUPPORT),
      CARREL_ALLOW,
      CARREL_IS(SYS_clone, 1),
      BPF_JUMP(BPF_JMP | BPF_JA, 1, 0, 0),
      CARREL_IS(SYS_unshare, 3),
      CARREL_LOAD(args[0]),
      CARREL_HAS(CLONE_NEWUSER, 1),
      CARREL_ANSWER(EPERM),
      CARREL_ALLOW,
  };
  struct sock_fprog program = {
      .len = (unsigned short)(sizeof filter / sizeof filter[0]), .filter = filter};
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
#else
  return true;
#endif
}

/// Joins the control groups whose files `cgroup.procs` are given; the first step, as long as their
/// descriptors have their numbers. Returns whether that worked; errno is set otherwise.
static inline bool carrel_join_groups(const int *groups, size_t count) {
  for (size_t index = 0; index < count; index++) {
    // 0 is the writer itself (cgroups(7)).
    if (write(groups[index], "0", 1) != 1) return false;
  }
  return true;
}

/// Takes the terminal, sets the limits, soft and hard alike, and the mask of new files, and goes to
/// the processors; the last step, because a limit on open files or memory also binds what comes
/// before the program. A limit above the caller's hard one becomes that one. Returns whether that
/// worked; errno is set otherwise.
static inline bool carrel_take_limits(const struct carrel_start *start) {
  static const char word[] = "processor ";
  static const char mask[] = "umask ";
  struct carrel_processor_set processors;
  memset(&processors, 0, sizeof processors);
  bool has_processors = false;
  for (char **line = start->limits; *line != NULL; line++) {
    const char *digits = *line;
    if (strcmp(digits, "terminal") == 0) {
      if (ioctl(0, TIOCSCTTY, 0) < 0) return false;
      continue;
    }
    if (strncmp(digits, word, sizeof word - 1) == 0) {
      digits += sizeof word - 1;
      uint64_t processor = carrel_take_number(&digits);
      if (processor >= carrel_most_processors) {
        errno = EINVAL;
        return false;
      }
      CPU_SET_S((size_t)processor, sizeof processors, (cpu_set_t *)&processors);
      has_processors = true;
      continue;
    }
    if (strncmp(digits, mask, sizeof mask - 1) == 0) {
      digits += sizeof mask - 1;
      umask((mode_t)carrel_take_number(&digits));
      continue;
    }
    int resource = (int)carrel_take_number(&digits);
    uint64_t value = carrel_take_number(&digits);
    struct rlimit limit;
    if (getrlimit(resource, &limit) < 0) return false;
    if (value < limit.rlim_max) limit.rlim_max = value;
    limit.rlim_cur = limit.rlim_max;
    if (setrlimit(resource, &limit) < 0) return false;
  }
  return !has_processors
         || sched_setaffinity(0, sizeof processors, (cpu_set_t *)&processors) == 0;
}
