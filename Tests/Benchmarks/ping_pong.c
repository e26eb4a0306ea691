// Prints the median seconds of a round trip between three processes over sockets of the UNIX
// domain: a test, a system that passes on, an app; so many bytes there, so many back.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { rounds = 3000, warm_up = 500 };

static void receive_all(int socket, char *bytes, size_t count) {
  while (count > 0) {
    ssize_t got = read(socket, bytes, count);
    if (got <= 0) _exit(0);
    bytes += got;
    count -= (size_t)got;
  }
}

static void send_all(int socket, const char *bytes, size_t count) {
  while (count > 0) {
    ssize_t sent = write(socket, bytes, count);
    if (sent <= 0) _exit(0);
    bytes += sent;
    count -= (size_t)sent;
  }
}

static int by_value(const void *first, const void *second) {
  double a = *(const double *)first, b = *(const double *)second;
  return a < b ? -1 : a > b;
}

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  size_t there = (size_t)atoi(argv[1]), back = (size_t)atoi(argv[2]);
  int test[2], app[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, test)) return 1;
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, app)) return 1;
  char *bytes = calloc(1, there + back);
  if (fork() == 0) {
    close(test[0]);
    close(app[1]);
    for (;;) {
      receive_all(test[1], bytes, there);
      send_all(app[0], bytes, there);
      receive_all(app[0], bytes, back);
      send_all(test[1], bytes, back);
    }
  }
  if (fork() == 0) {
    close(test[0]);
    close(test[1]);
    close(app[0]);
    for (;;) {
      receive_all(app[1], bytes, there);
      send_all(app[1], bytes, back);
    }
  }
  close(test[1]);
  close(app[0]);
  close(app[1]);
  static double seconds[rounds];
  for (int round = 0; round < rounds; round++) {
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    send_all(test[0], bytes, there);
    receive_all(test[0], bytes, back);
    clock_gettime(CLOCK_MONOTONIC, &end);
    seconds[round] =
        (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) / 1e9;
  }
  qsort(seconds + warm_up, rounds - warm_up, sizeof *seconds, by_value);
  printf("%g\n", seconds[warm_up + (rounds - warm_up) / 2]);
  close(test[0]);
  while (wait(NULL) > 0) {
  }
}
