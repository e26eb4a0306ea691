#include "CImageSections.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

// The linker defines these for a section whose name is a C identifier; hidden, so that each image
// sees its own.
extern const char first[] __asm__("__start_swift5_protocol_conformances")
    __attribute__((weak, visibility("hidden")));
extern const char last[] __asm__("__stop_swift5_protocol_conformances")
    __attribute__((weak, visibility("hidden")));

// What tells an executable with an intent host in it from others without running it.
__attribute__((used, retain, section("carrel_intent_host"))) static const char marker[] = "1";

// The Swift runtime's own: the witnesses of a conformance, made when they have to be.
extern const void *swift_getWitnessTable(const void *conformance, const void *type,
                                         const void *const *arguments);

// What an accessor of metadata returns: the metadata and its state.
struct response {
  const void *metadata;
  size_t state;
};
typedef __attribute__((swiftcall)) struct response (*accessor)(size_t request);

static int32_t number(const char *at) {
  int32_t value;
  memcpy(&value, at, sizeof value);
  return value;
}

// What a relative pointer leads to; null when it is null.
static const char *relative(const char *at) {
  int32_t offset = number(at);
  return offset ? at + offset : NULL;
}

static const char *pointer(const char *at) {
  const char *value;
  memcpy(&value, at, sizeof value);
  return value;
}

// A relative pointer whose lowest bit says that it leads to a pointer.
static const char *indirectable(const char *at) {
  int32_t offset = number(at);
  if (!offset) return NULL;
  const char *target = at + (offset & ~1);
  return offset & 1 ? pointer(target) : target;
}

static int has_name(const char *descriptor, const char *name) {
  const char *own = relative(descriptor + 8);
  return own && strcmp(own, name) == 0;
}

// The metadata of the type of a conformance; null for a generic type and for what is no type.
static const void *type_of(const char *conformance) {
  unsigned kind = (uint32_t)number(conformance + 12) >> 3 & 7;
  const char *descriptor = kind <= 1 ? relative(conformance + 4) : NULL;
  if (descriptor && kind == 1) descriptor = pointer(descriptor);
  if (!descriptor || number(descriptor) & 0x80) return NULL;
  accessor get = (accessor)(uintptr_t)relative(descriptor + 12);
  // 0 asks for complete metadata.
  return get ? get(0).metadata : NULL;
}

size_t carrel_conformances(const char *module, const char *const *protocols, size_t count,
                           struct carrel_conformance *found, size_t capacity) {
  size_t number_found = 0;
  if (!first || !last) return 0;
  for (const char *record = first; record + 4 <= last; record += 4) {
    const char *conformance = relative(record);
    const char *protocol = conformance ? indirectable(conformance) : NULL;
    if (!protocol) continue;
    size_t index = 0;
    while (index < count && !has_name(protocol, protocols[index])) index++;
    if (index == count) continue;
    const char *context = indirectable(protocol + 4);
    if (!context || !has_name(context, module)) continue;
    const void *type = type_of(conformance);
    const void *witnesses = type ? swift_getWitnessTable(conformance, type, NULL) : NULL;
    if (!witnesses) continue;
    if (number_found < capacity) {
      found[number_found] = (struct carrel_conformance){index, type, witnesses};
    }
    number_found++;
  }
  return number_found;
}

void carrel_pass_lines_on(void) { setvbuf(stdout, NULL, _IOLBF, 0); }

const char *carrel_clang_version(void) {
#ifdef __clang_version__
  return __clang_version__;
#else
  return "";
#endif
}
