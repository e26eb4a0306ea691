#include "BadHost.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

__attribute__((used, section("carrel_intent_host"))) static const char marker[] = "1";

static void say(int descriptor, const char *text) {
  size_t left = strlen(text);
  while (left > 0) {
    ssize_t count = send(descriptor, text, left, MSG_NOSIGNAL);
    if (count <= 0) return;
    text += count;
    left -= (size_t)count;
  }
}

/* Whether there was a line. */
static int hear_line(int descriptor) {
  char byte;
  ssize_t count;
  while ((count = read(descriptor, &byte, 1)) == 1 && byte != '\n') {
  }
  return count == 1;
}

static int is_twin(const char *mode) { return strncmp(mode, "Twin", 4) == 0; }

static void describe(FILE *file, const char *mode) {
  fprintf(file,
          "{\"bundle\":\"com.example.%s\",\"compiler\":\"C\",\"intents\":[{\"id\":\"Call\","
          "\"title\":\"Call\",\"discoverable\":true,\"opensApp\":false,\"parameters\":[]}],"
          "\"entities\":[],\"enums\":[],\"shortcuts\":[]}",
          is_twin(mode) ? "Twin" : mode);
}

void run_bad_host(const char *mode) {
  const char *path = getenv("CARREL_INTENT_SOCKET"), *token = getenv("CARREL_INTENT_TOKEN");
  if (!path || !token) {
    describe(stdout, mode);
    return;
  }
  fprintf(stderr, "%s was started\n", mode);
  if (strcmp(mode, "EndsEarly") == 0) exit(7);
  int descriptor = socket(AF_UNIX, SOCK_STREAM, 0);
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  strncpy(address.sun_path, path, sizeof address.sun_path - 1);
  if (connect(descriptor, (struct sockaddr *)&address, sizeof address) != 0) exit(8);
  char *hello = NULL;
  size_t size = 0;
  FILE *file = open_memstream(&hello, &size);
  fprintf(file,
          "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"hello\",\"params\":{\"role\":\"host\","
          "\"protocol\":\"%s\",\"token\":\"%s\",\"bundle\":\"com.example.%s\"}}\n",
          strcmp(mode, "OtherVersion") == 0 ? "2.0" : "1.0", token, mode);
  fclose(file);
  say(descriptor, hello);
  hear_line(descriptor);
  if (strcmp(mode, "Good") == 0) {
    for (int id = 1; hear_line(descriptor); id++) {
      char answer[64];
      snprintf(answer, sizeof answer, "{\"jsonrpc\":\"2.0\",\"id\":%d,\"result\":{}}\n", id);
      say(descriptor, answer);
    }
    exit(0);
  }
  hear_line(descriptor);
  if (strcmp(mode, "Garbage") == 0) say(descriptor, "\xFF{{{ what?\n");
  if (strcmp(mode, "HalfMessage") == 0) {
    say(descriptor, "{\"jsonrpc\":\"2.0\",\"id\":1,\"resu");
    exit(0);
  }
  if (strcmp(mode, "WrongAnswer") == 0) {
    say(descriptor, "{\"jsonrpc\":\"2.0\",\"id\":99,\"result\":{}}\n");
  }
  if (strcmp(mode, "TooLong") == 0) {
    char *piece = malloc(1 << 20);
    memset(piece, 'x', (1 << 20) - 1);
    piece[(1 << 20) - 1] = 0;
    for (int count = 0; count < 100; count++) say(descriptor, piece);
  }
  // It says nothing more.
  for (;;) pause();
}
