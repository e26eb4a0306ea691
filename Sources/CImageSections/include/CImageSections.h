// The sections of the executable that this code is linked into, as the Swift runtime reads them.
#pragma once

#include <stddef.h>

/// The conformance records of this image: relative pointers of 4 bytes each (TypeMetadata.rst of
/// the Swift project). Null and 0 when the image has none.
const void *carrel_conformance_records(size_t *size);

/// Lets standard output pass each line on, also into a pipe, so that nothing printed before a crash
/// or a hang is lost.
void carrel_pass_lines_on(void);
