// The sections of the executable that this code is linked into, as the Swift runtime reads them.
#pragma once

#include <stddef.h>

/// A type that conforms to a protocol. With its witnesses it is the existential metatype of the
/// protocol: two words, in this order.
struct carrel_conformance {
  /// Index of the protocol among those that were asked for.
  size_t protocol;
  const void *type;
  const void *witnesses;
};

/// Finds the types in this image that conform to protocols of a module, in the order of the
/// image's conformance records (TypeMetadata.rst of the Swift project). Generic types are left out,
/// because nobody says what for.
///
/// Returns how many there are, which may be more than fit into `found`.
size_t carrel_conformances(const char *module, const char *const *protocols, size_t count,
                           struct carrel_conformance *found, size_t capacity);

/// Lets standard output pass each line on, also into a pipe, so that nothing printed before a crash
/// or a hang is lost.
void carrel_pass_lines_on(void);

/// The version and revision of the compiler of this code, as it writes them itself.
const char *carrel_clang_version(void);
