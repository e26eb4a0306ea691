#include "include/limits.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/// As many processors as any kernel is made for (CONFIG_NR_CPUS).
enum { most_processors = 8192 };

const int carrel_resource_data = RLIMIT_DATA;
const int carrel_resource_processes = RLIMIT_NPROC;
const int carrel_resource_files = RLIMIT_NOFILE;
const int carrel_resource_file_size = RLIMIT_FSIZE;

struct processor_set {
  _Alignas(cpu_set_t) unsigned char bytes[CPU_ALLOC_SIZE(most_processors)];
};

bool carrel_join_groups(const struct carrel_limits *limits) {
  if (limits == NULL) return true;
  for (size_t index = 0; index < limits->group_count; index++) {
    // 0 is the writer itself (cgroups(7)).
    if (write(limits->groups[index], "0", 1) != 1) return false;
  }
  return true;
}

bool carrel_set_limits(const struct carrel_limits *limits) {
  if (limits == NULL) return true;
  if (limits->processor_count > 0) {
    struct processor_set set;
    memset(&set, 0, sizeof set);
    for (size_t index = 0; index < limits->processor_count; index++) {
      CPU_SET_S((size_t)limits->processors[index], sizeof set, (cpu_set_t *)&set);
    }
    if (sched_setaffinity(0, sizeof set, (cpu_set_t *)&set) < 0) return false;
  }
  for (size_t index = 0; index < limits->resource_count; index++) {
    struct rlimit limit;
    if (getrlimit(limits->resources[index].resource, &limit) < 0) return false;
    if (limits->resources[index].value < limit.rlim_max) {
      limit.rlim_max = limits->resources[index].value;
    }
    limit.rlim_cur = limit.rlim_max;
    if (setrlimit(limits->resources[index].resource, &limit) < 0) return false;
  }
  return true;
}

int carrel_processors(int *numbers, size_t count) {
  struct processor_set set;
  memset(&set, 0, sizeof set);
  if (sched_getaffinity(0, sizeof set, (cpu_set_t *)&set) < 0) return -1;
  int found = 0;
  for (size_t number = 0; number < most_processors; number++) {
    if (!CPU_ISSET_S(number, sizeof set, (cpu_set_t *)&set)) continue;
    if ((size_t)found < count) numbers[found] = (int)number;
    found++;
  }
  return found;
}
