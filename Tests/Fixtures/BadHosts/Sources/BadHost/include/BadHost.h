// A host of intents in C that does not keep to the protocol.
#pragma once

/// Serves `com.example.MODE` and breaks the protocol in the way that the mode names; `Good` keeps
/// to it, and `Twin1` and `Twin2` are both `com.example.Twin`.
void run_bad_host(const char *mode);
