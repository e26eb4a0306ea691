// What the parts of a sandbox's making have in common.
#pragma once

#include "include/Sandbox.h"
#include "start.h"

enum {
  highest_bind_count = 64,
  highest_descriptor_count = carrel_most_descriptors,
  /// The socket's number in the first process and in the maker.
  control_number = 3,
  /// In the maker, the number of a pidfd of its caller.
  parent_number = 4,
  request_spawn = 1,
  request_signal = 2,
};

/// What the caller asks the first process for.
struct service_request {
  int32_t kind;
  int32_t process;
  int32_t signal;
  /// How many of the descriptors, after the first one, are those of control groups.
  int32_t groups;
};

struct bind {
  const char *source;
  const char *target;
  bool is_writable;
  /// Of an overlay; NULL for a source that is seen itself.
  const char *upper;
  const char *work;
};

/// Appends the digits of a number: snprintf(3) may not be called after fork(2). Returns the new
/// end, where there is no zero byte yet.
static inline char *carrel_append_number(char *end, uint64_t number) {
  char digits[20];
  size_t count = 0;
  do {
    digits[count++] = (char)('0' + number % 10);
    number /= 10;
  } while (number > 0);
  while (count > 0) *end++ = digits[--count];
  return end;
}

/// What is to be made, as the maker has read it.
struct layout {
  struct bind binds[highest_bind_count];
  size_t bind_count;
  const char *covers[highest_bind_count];
  size_t cover_count;
  enum carrel_network network;
  bool is_for_copying;
  uint64_t private_size;
  /// The texts that the others lie in.
  char *texts;
  size_t size;
};

/// Writes a text into a file. Returns whether that worked; errno is set otherwise.
bool carrel_sandbox_write_text(const char *path, const char *text);

/// Tells the caller something, with a descriptor if it is not below 0; ends when nobody listens.
void carrel_sandbox_say(int control, int32_t kind, int32_t first, int32_t second, int descriptor);

/// Tells the caller which step has failed, and ends.
void carrel_sandbox_fail(int control, enum carrel_sandbox_step step);

/// Makes what the processes of the sandbox see, and gives up what leads out of it.
void carrel_sandbox_make(const struct layout *layout, int control);

/// Makes this process one that lives as long as another, and has a socket to it and nothing else.
///
/// - `control`: The socket, which becomes `control_number`.
/// - `parent`: A pidfd of the other process, which becomes `parent_number`.
void carrel_sandbox_detach(int control, int parent, const char *name);

/// The life of the first process: makes the sandbox, then serves until nobody asks any more.
void carrel_sandbox_live(const struct layout *layout, int control);
