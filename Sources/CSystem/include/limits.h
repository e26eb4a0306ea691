// What limits are made of.
#pragma once

#include <stddef.h>

/// Numbers of the resources of setrlimit(2), which Swift does not see.
extern const int carrel_resource_data;
extern const int carrel_resource_processes;
extern const int carrel_resource_files;
extern const int carrel_resource_file_size;

/// Stores the numbers of the processors that the caller may run on, in ascending order, at most so
/// many. Returns how many there are, or -1 with errno set (sched_getaffinity(2)).
int carrel_processors(int *numbers, size_t count);
