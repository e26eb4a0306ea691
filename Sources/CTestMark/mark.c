#include "CTestMark.h"

// What tells a test executable that calls apps from others without running it. Kept although
// nothing refers to it, also by a linker that drops what is unused.
__attribute__((used, retain, section("carrel_intent_test"))) static const char marker[] = "1";
