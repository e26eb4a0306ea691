#include "include/CSystem.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// The child is a copy of a process that may have several threads, so it calls nothing that is not
// async-signal-safe (signal-safety(7)).

enum {
  mark_limit = 16,
  mark_size = 128,
  // Processes in the middle of execve(2) have no environment for a moment.
  clean_scans = 5,
  seconds_limit = 10,
};

static char marks[mark_limit][mark_size];
static int mark_count;

/// Takes the marks out of what the pipe says, until its end.
static void read_marks(int pipe_end) {
  int length = 0;
  for (;;) {
    char bytes[256];
    ssize_t count = read(pipe_end, bytes, sizeof bytes);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;
    for (ssize_t index = 0; index < count; index++) {
      if (mark_count == mark_limit) break;
      char *mark = marks[mark_count];
      if (bytes[index] != '\n') {
        if (length < mark_size) mark[length] = bytes[index];
        length++;
        continue;
      }
      // An empty mark would fit everybody, and one that was cut somebody else.
      if (length > 0 && length < mark_size) {
        mark[length] = 0;
        mark_count++;
      }
      length = 0;
    }
  }
}

static int is_marked(const char *value, size_t length) {
  for (int index = 0; index < mark_count; index++) {
    size_t size = strlen(marks[index]);
    if (length < size || memcmp(value, marks[index], size) != 0) continue;
    if (length == size || value[size] == '-') return 1;
  }
  return 0;
}

/// Reads a file of variables, each ended by a zero byte, in pieces.
static int holds_mark(int file, const char *variable) {
  char bytes[4096];
  char value[mark_size];
  size_t name = strlen(variable);
  // Where in `NAME=VALUE` the next byte belongs, as long as the name fits.
  size_t position = 0;
  int fits = 1;
  for (;;) {
    ssize_t count = read(file, bytes, sizeof bytes);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return 0;
    for (ssize_t index = 0; index < count; index++) {
      char byte = bytes[index];
      if (byte == 0) {
        if (fits && position > name) {
          size_t length = position - name - 1;
          if (is_marked(value, length < mark_size ? length : mark_size)) return 1;
        }
        position = 0;
        fits = 1;
        continue;
      }
      if (!fits) continue;
      if (position < name) {
        fits = byte == variable[position];
      } else if (position == name) {
        fits = byte == '=';
      } else if (position - name - 1 < mark_size) {
        value[position - name - 1] = byte;
      }
      position++;
    }
  }
}

static int open_file_of(const char *pid, const char *name) {
  char path[64] = "/proc/";
  if (strlen(pid) + strlen(name) + 8 > sizeof path) return -1;
  strcat(strcat(strcat(path, pid), "/"), name);
  return open(path, O_RDONLY | O_CLOEXEC);
}

/// Kills the process if it has a mark. Returns whether it has.
static int kill_marked(const char *pid, const char *variable) {
  // First the pidfd: what is read afterwards is of this process, or it has ended.
  int descriptor = carrel_pidfd_open((pid_t)atoi(pid));
  if (descriptor < 0) return 0;
  int file = open_file_of(pid, "environ");
  int marked = file >= 0 && holds_mark(file, variable);
  if (file >= 0) close(file);
  if (marked && carrel_pidfd_signal(descriptor, SIGKILL) < 0) marked = 0;
  close(descriptor);
  return marked;
}

/// What getdents64(2) returns.
struct entry {
  uint64_t inode;
  int64_t offset;
  unsigned short size;
  unsigned char type;
  char name[];
};

/// Kills every process with a mark. Returns how many there were.
static int scan(const char *variable) {
  static char buffer[32768] __attribute__((aligned(8)));
  int folder = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return 0;
  int found = 0;
  long count;
  while ((count = syscall(SYS_getdents64, folder, buffer, sizeof buffer)) > 0) {
    for (long offset = 0; offset < count;) {
      struct entry *entry = (struct entry *)(buffer + offset);
      offset += entry->size;
      if (entry->name[0] < '1' || entry->name[0] > '9') continue;
      found += kill_marked(entry->name, variable);
    }
  }
  close(folder);
  return found;
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void end_marked(const char *variable) {
  double deadline = seconds() + seconds_limit;
  for (int clean = 0; mark_count > 0 && clean < clean_scans && seconds() < deadline;) {
    int found = scan(variable);
    clean = found > 0 ? 0 : clean + 1;
    struct timespec pause = {.tv_nsec = found > 0 ? 1000000 : 20000000};
    nanosleep(&pause, NULL);
  }
}

/// The number in a field of /proc/self/stat, counted from 1 as in proc_pid_stat(5); 0 when it is
/// not there.
static uintptr_t own_field(const char *text, int number) {
  const char *position = strrchr(text, ')');
  for (int field = 2; position != NULL && field < number; field++) {
    position = strchr(position, ' ');
    if (position != NULL) position++;
  }
  uintptr_t value = 0;
  while (position != NULL && *position >= '0' && *position <= '9') {
    value = value * 10 + (uintptr_t)(*position++ - '0');
  }
  return value;
}

/// Puts a text in place of what the kernel shows as the process's arguments or environment.
static void overwrite(uintptr_t start, uintptr_t end, const char *text) {
  if (start == 0 || end <= start) return;
  memset((void *)start, 0, end - start);
  size_t length = strlen(text);
  if (length > end - start - 1) length = end - start - 1;
  memcpy((void *)start, text, length);
}

static void hide(void) {
  static char text[2048];
  prctl(PR_SET_NAME, "carrel-watchdog");
  int file = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  ssize_t count = read(file, text, sizeof text - 1);
  close(file);
  if (count <= 0) return;
  overwrite(own_field(text, 48), own_field(text, 49), "carrel-watchdog");
  // Not empty: that means that a process is in the middle of execve(2).
  overwrite(own_field(text, 50), own_field(text, 51), "CARREL_WATCHDOG=1");
}

_Noreturn static void watch(int pipe_end, const char *variable) {
  setsid();
  if (dup2(pipe_end, 0) < 0) _exit(127);
  syscall(SYS_close_range, 1U, ~0U, 0);
  if (chdir("/") < 0) {}
  hide();
  read_marks(0);
  end_marked(variable);
  _exit(0);
}

pid_t carrel_start_watchdog(const char *variable, int *pidfd, int *pipe_end) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) < 0) return -1;
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pid_t child = fork();
  if (child == 0) watch(ends[0], variable);
  int error = errno;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  close(ends[0]);
  *pidfd = child < 0 ? -1 : carrel_pidfd_open(child);
  if (*pidfd < 0) {
    if (child >= 0) error = errno;
    close(ends[1]);
    // Without a mark it ends at once.
    if (child > 0) {
      while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {}
    }
    errno = error;
    return -1;
  }
  *pipe_end = ends[1];
  return child;
}
