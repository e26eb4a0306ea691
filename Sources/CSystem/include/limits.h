// Limits that a process gets before it becomes the program that is bound by them.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Numbers of the resources of setrlimit(2), which Swift does not see.
extern const int carrel_resource_data;
extern const int carrel_resource_processes;
extern const int carrel_resource_files;
extern const int carrel_resource_file_size;

/// One limit of setrlimit(2), soft and hard alike.
struct carrel_resource_limit {
  int resource;
  uint64_t value;
};

/// What a process may use.
struct carrel_limits {
  /// Descriptors of the files `cgroup.procs` of the control groups that the process joins.
  const int *groups;
  size_t group_count;
  const struct carrel_resource_limit *resources;
  size_t resource_count;
  /// Numbers of the processors that it may run on; none for all.
  const int *processors;
  size_t processor_count;
};

/// Joins the control groups; the first step, as long as their descriptors have their numbers.
/// Async-signal-safe. Returns whether that worked; errno is set otherwise.
bool carrel_join_groups(const struct carrel_limits *limits);

/// Sets resource limits and processors; the last step, because a limit on open files or memory also
/// binds what comes before the program. A limit above the caller's hard one becomes that one.
/// Async-signal-safe. Returns whether that worked; errno is set otherwise.
bool carrel_set_limits(const struct carrel_limits *limits);

/// Stores the numbers of the processors that the caller may run on, in ascending order, at most so
/// many. Returns how many there are, or -1 with errno set (sched_getaffinity(2)).
int carrel_processors(int *numbers, size_t count);
