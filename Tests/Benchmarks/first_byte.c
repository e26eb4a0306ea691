// Prints the median seconds from the start of a command to the first byte that it writes.
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { rounds = 41 };
extern char **environ;

static int by_value(const void *first, const void *second) {
  double a = *(const double *)first, b = *(const double *)second;
  return a < b ? -1 : a > b;
}

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  static double seconds[rounds];
  for (int round = 0; round < rounds; round++) {
    int ends[2], status;
    if (pipe(ends)) return 1;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    struct timespec start, end;
    pid_t child;
    char byte;
    clock_gettime(CLOCK_MONOTONIC, &start);
    if (posix_spawn(&child, argv[1], &actions, NULL, argv + 1, environ)) return 1;
    if (read(ends[0], &byte, 1) != 1) return 1;
    clock_gettime(CLOCK_MONOTONIC, &end);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[0]);
    close(ends[1]);
    waitpid(child, &status, 0);
    seconds[round] =
        (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) / 1e9;
  }
  qsort(seconds, rounds, sizeof *seconds, by_value);
  printf("%g\n", seconds[rounds / 2]);
}
