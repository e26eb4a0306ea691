import Testing

/// Everything that runs the built command on packages. One test at a time: each starts processes
/// for as many workers as it wants.
@Suite(.serialized) enum EndToEnd {}
