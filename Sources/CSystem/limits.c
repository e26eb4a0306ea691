#include "include/limits.h"

#include "start.h"

#include <sched.h>
#include <string.h>
#include <sys/resource.h>

const int carrel_resource_data = RLIMIT_DATA;
const int carrel_resource_processes = RLIMIT_NPROC;
const int carrel_resource_files = RLIMIT_NOFILE;
const int carrel_resource_file_size = RLIMIT_FSIZE;

int carrel_processors(int *numbers, size_t count) {
  struct carrel_processor_set set;
  memset(&set, 0, sizeof set);
  if (sched_getaffinity(0, sizeof set, (cpu_set_t *)&set) < 0) return -1;
  int found = 0;
  for (size_t number = 0; number < carrel_most_processors; number++) {
    if (!CPU_ISSET_S(number, sizeof set, (cpu_set_t *)&set)) continue;
    if ((size_t)found < count) numbers[found] = (int)number;
    found++;
  }
  return found;
}
